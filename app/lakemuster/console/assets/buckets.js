// Paimon: a table of buckets by levels of the LSM tree, and the sorted runs that a reader merges.
import { rows, tablePath, useAnswer } from "./api.js";
import { Name, bytes, count, partitionText, plural, plus } from "./format.js";
import { html, useState } from "./html.js";
import { Loaded, Sheet } from "./parts.js";

const MOST = 20_000;
const SHOWN = 60;
const FIELDS = "partition,bucket,level,file_size_in_bytes,record_count";

function gridOf(files) {
  const found = new Map();
  const levels = new Set();
  for (const file of files) {
    const key = JSON.stringify([file.partition, file.bucket]);
    if (!found.has(key)) found.set(key, { key, partition: file.partition, bucket: file.bucket, cells: new Map() });
    levels.add(file.level);
    const cells = found.get(key).cells;
    const cell = cells.get(file.level) || { files: 0, bytes: 0 };
    cell.files += 1;
    cell.bytes = plus(cell.bytes, file.file_size_in_bytes);
    cells.set(file.level, cell);
  }
  const buckets = [...found.values()];
  // Each file of level 0 is a sorted run; every other level is one run.
  for (const bucket of buckets) bucket.runs = [...bucket.cells].reduce((sum, [level, cell]) => sum + (level === 0 ? cell.files : 1), 0);
  buckets.sort((one, other) => partitionText(one.partition).localeCompare(partitionText(other.partition)) || one.bucket - other.bucket);
  return { buckets, levels: [...levels].sort((one, other) => one - other) };
}

export function Buckets({ table, version, partition }) {
  const [shown, setShown] = useState(SHOWN);
  const answer = useAnswer(`${table.name} ${version}`, async (signal) => {
    const found = await rows(tablePath(table.name, "/files"), "files", { fields: FIELDS, content: "data", page_size: 5000 }, { most: MOST, signal });
    return { ...gridOf(found.rows), complete: found.complete, files: found.rows.length };
  });
  const wanted = partition && JSON.stringify(partition);
  return html`<${Loaded} answer=${answer} what="Loading buckets">${(data) => {
    const own = data.buckets.filter((bucket) => !wanted || JSON.stringify(bucket.partition) === wanted);
    const most = Math.max(1, ...own.flatMap((bucket) => [...bucket.cells.values()].map((cell) => Number(cell.bytes))));
    return html`<${Sheet} id="buckets" title="Buckets and levels" aside=${html`<p class="dim">${plural(own.length, "bucket")}${data.complete ? "" : `, of the first ${count(data.files)} files`}</p>`}>
      <table class="grid buckets"><thead><tr><th scope="col">Partition</th><th scope="col" class="end">Bucket</th>${data.levels.map((level) => html`<th scope="col" class="end">Level ${level}</th>`)}<th scope="col" class="end" title="Sorted runs that a reader merges">Runs</th></tr></thead>
      <tbody>${own.slice(0, shown).map((bucket) => html`<tr key=${bucket.key}><th scope="row"><${Name} value=${partitionText(bucket.partition)} /></th><td class="end">${bucket.bucket}</td>
        ${data.levels.map((level) => {
          const cell = bucket.cells.get(level);
          return html`<td class="end cell">${cell ? html`<svg class="fill" width="100%" height="24" aria-hidden="true"><rect width=${`${(100 * Number(cell.bytes)) / most}%`} height="24" /></svg><span title=${`${count(cell.bytes)} bytes`}>${plural(cell.files, "file")}, ${bytes(cell.bytes)}</span>` : html`<span class="dim">–</span>`}</td>`;
        })}<td class="end">${count(bucket.runs)}</td></tr>`)}</tbody></table>
      ${shown < own.length && html`<p class="more"><button type="button" onClick=${() => setShown(shown + 200)}>Show more of ${count(own.length)}</button></p>`}
    </${Sheet}>`;
  }}</${Loaded}>`;
}
