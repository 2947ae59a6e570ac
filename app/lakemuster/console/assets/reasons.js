// The reasons why files are kept or dropped: a list of files, and the comparisons of one file.
import { fileName } from "./diff.js";
import { Bytes, Count, Name, asText, count, partitionText } from "./format.js";
import { html, useState } from "./html.js";
import { Empty } from "./parts.js";

const SHOWN = 60;
const AT = { manifests: "with its manifest", segments: "with its segment", zones: "with its zone", entries: "by its own bounds", indexes: "by its indexes", groups: "with its merge group" };

export function FileReasons({ file }) {
  const verdict = { kept: "Kept: it may hold a matching row", dropped: `Dropped ${AT[file.level] || ""}: no row of it matches`, deleted: "Deleted: an entry of this snapshot removes it", absent: "This snapshot lists no such data file" }[file.state];
  return html`<div class="reasons"><p class=${`verdict ${file.state}`}>${verdict}</p>
    <p class="path"><code><${Name} value=${file.file_path} /></code></p>
    ${file.reasons.length > 0 && html`<table class="grid plain"><thead><tr><th scope="col">Comparison</th><th scope="col">Recorded</th><th scope="col">Verdict</th></tr></thead><tbody>${file.reasons.map((reason) => html`<tr>
      <th scope="row"><code><${Name} value=${reason.filter} /></code></th>
      <td>${bounds(reason)}</td>
      <td><span class=${`answer ${reason.verdict.replaceAll(" ", "-")}`}>${reason.verdict}</span><div class="dim"><${Name} value=${reason.reason} /></div></td></tr>`)}</tbody></table>`}
    ${file.reasons.length === 0 && file.state === "kept" && html`<p class="dim">The filter has no comparison that could drop it.</p>`}</div>`;
}

function bounds(reason) {
  const { lower, upper, value, ...counts } = reason.bound;
  const rest = Object.entries(counts).filter(([, number]) => number !== null && number !== undefined).map(([key, number]) => `${key.replace("_count", "s")} ${count(number)}`);
  return html`<div>${reason.column && html`<${Name} value=${reason.column} />: `}${value !== undefined ? html`<code><${Name} value=${asText(value)} /></code>` : lower !== undefined || upper !== undefined ? html`<code><${Name} value=${asText(lower ?? "?")} /></code> … <code><${Name} value=${asText(upper ?? "?")} /></code>` : html`<span class="dim">nothing</span>`}</div>
    ${rest.length > 0 && html`<div class="dim">${rest.join(", ")}</div>`}`;
}

export function Files({ files, chosen, choose, empty }) {
  const [shown, setShown] = useState(SHOWN);
  if (!files.length) return html`<${Empty} title=${empty} />`;
  return html`<table class="grid files"><thead><tr><th scope="col"><span class="hidden">Verdict</span></th><th scope="col">File</th><th scope="col">Partition</th><th scope="col" class="end">Records</th><th scope="col" class="end">Size</th></tr></thead>
    <tbody>${files.slice(0, shown).map((file) => html`<tr key=${file.file_path} class=${file.file_path === chosen ? "chosen" : ""}>
      <td class=${file.state}>${file.state === "kept" ? "●" : "○"}<span class="hidden">${file.state}</span></td>
      <th scope="row"><button type="button" class="link" aria-pressed=${file.file_path === chosen ? "true" : "false"} onClick=${() => choose(file.file_path)} title=${file.file_path}><bdi class="name">${fileName(file.file_path)}</bdi></button></th>
      <td><${Name} value=${partitionText(file.partition)} /></td>
      <td class="end"><${Count} value=${file.record_count} /></td><td class="end"><${Bytes} value=${file.file_size_in_bytes} /></td></tr>`)}</tbody></table>
    ${shown < files.length && html`<p class="more"><button type="button" onClick=${() => setShown(shown + 200)}>Show more</button></p>`}`;
}
