// The files that were added or removed between two snapshots.
import { get, tablePath, useAnswer } from "./api.js";
import { Bytes, Count, Name, Time, bytes, count, partitionText, plural, plus } from "./format.js";
import { html, useEffect, useState } from "./html.js";
import { Empty, Failure, Loaded, Sheet } from "./parts.js";

const PAGE = 200;
const FIELDS = "change,content,file_path,partition,record_count,file_size_in_bytes";

export function Diff({ table, from, to, close }) {
  const asked = { from: from.snapshot_id, to: to.snapshot_id, fields: FIELDS, page_size: PAGE };
  if (to.branch !== "main") asked.ref = to.branch;
  const key = `${table} ${from.key} ${to.key}`;
  const answer = useAnswer(key, (signal) => get(tablePath(table, "/diff"), asked, { signal }));
  const [more, setMore] = useState({ key, rows: [], token: null, error: null });
  useEffect(() => setMore({ key, rows: [], token: null, error: null }), [key]);
  const next = async (token) => {
    try {
      const page = await get(tablePath(table, "/diff"), { ...asked, page_token: token });
      setMore((last) => (last.key === key ? { key, rows: [...last.rows, ...page.diff], token: page.next_page_token ?? "end", error: null } : last));
    } catch (error) {
      setMore((last) => ({ ...last, error }));
    }
  };
  return html`<${Sheet} id="diff" title="Files between two snapshots" aside=${html`<button type="button" class="quiet" onClick=${close}>Close</button>`}>
    <p class="dim"><${Time} value=${from.committed_at} /> <code>${from.snapshot_id}</code> → <${Time} value=${to.committed_at} /> <code>${to.snapshot_id}</code></p>
    <${Loaded} answer=${answer} what="Comparing">${(data) => {
      const rows = [...data.diff, ...(more.key === key ? more.rows : [])];
      const token = more.token === "end" ? null : more.token || data.next_page_token;
      if (!rows.length) return html`<${Empty} title="Both have the same files" />`;
      return html`<${Sums} rows=${rows} complete=${token === null} />
        <table class="grid files"><thead><tr><th scope="col"><span class="hidden">Change</span></th><th scope="col">File</th><th scope="col">Partition</th><th scope="col" class="end">Records</th><th scope="col" class="end">Size</th></tr></thead>
        <tbody>${rows.map((row) => html`<tr key=${`${row.change} ${row.file_path}`}>
          <td class=${row.change}>${row.change === "added" ? "+" : "−"}<span class="hidden">${row.change}</span></td>
          <th scope="row"><${Name} value=${fileName(row.file_path)} title=${row.file_path} />${row.content === "data" ? "" : html` <span class="tag">${row.content}</span>`}</th>
          <td><${Name} value=${partitionText(row.partition)} /></td><td class="end"><${Count} value=${row.record_count} /></td><td class="end"><${Bytes} value=${row.file_size_in_bytes} /></td></tr>`)}</tbody></table>
        ${more.error && html`<${Failure} error=${more.error} />`}
        ${token && html`<p class="more"><button type="button" onClick=${() => next(token)}>Show more</button></p>`}`;
    }}</${Loaded}>
  </${Sheet}>`;
}

export const fileName = (path) => path.slice(path.lastIndexOf("/") + 1);

function Sums({ rows, complete }) {
  const sum = (change) => {
    const own = rows.filter((row) => row.change === change);
    return html`<span class=${change}>${change === "added" ? "+" : "−"}${plural(own.length, "file")}, ${count(own.reduce((all, row) => plus(all, row.record_count ?? 0), 0))} records, ${bytes(own.reduce((all, row) => plus(all, row.file_size_in_bytes ?? 0), 0))}</span>`;
  };
  return html`<p class="sums" role="status">${sum("added")} ${sum("removed")}${complete ? "" : html` <span class="dim">of those shown; there are more</span>`}</p>`;
}
