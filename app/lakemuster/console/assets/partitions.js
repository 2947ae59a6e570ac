// The sizes of a table's partitions, as a treemap and as a table.
import { get, rows, tablePath, useAnswer } from "./api.js";
import { Buckets } from "./buckets.js";
import { Bytes, Count, Day, Name, asText, bytes, count, millisOf, plural, plus } from "./format.js";
import { html, useMemo, useState } from "./html.js";
import { Empty, Failure, Loaded, Sheet } from "./parts.js";
import { change, stored } from "./route.js";
import { Treemap, addRows, emptyTree, find, layOut, pathOf, pause } from "./treemap.js";

const MOST = 100_000;
const PAGE = 10_000;
const SHOWN = 50;
// Colours of average file sizes are logarithmic: full strength at 1/1024 of the least size that is not small.
const HALVINGS = 10;
// As the threshold of the health component: critical from 16 files on.
const OVERLAP_DOUBLINGS = 4;
const FIELDS = "partition,spec_id,record_count,file_count,total_data_file_size_in_bytes,last_updated_at";
const DELETES = ",position_delete_file_count,equality_delete_file_count";

async function load(name, format, signal) {
  const fields = format === "iceberg" ? FIELDS + DELETES : FIELDS;
  const tree = emptyTree();
  const writtenAt = timesOf();
  let places = 0;
  const take = (some) => {
    for (const row of some) {
      row.place = places++;
      row.sums = { records: plus(0, row.record_count), bytes: plus(0, row.total_data_file_size_in_bytes ?? 0), files: row.file_count, deletes: deletesOf(row), partitions: 1, written: writtenAt(row.last_updated_at) };
    }
    addRows(tree, some);
  };
  const [found, stats] = await Promise.all([
    rows(tablePath(name, "/partitions"), "partitions", { fields, page_size: PAGE }, { most: MOST, signal, each: take }),
    get(tablePath(name, "/stats"), {}, { signal }),
  ]);
  const root = await layOut(tree);
  await pause();
  signal.throwIfAborted();
  root.eachAfter((node) => {
    node.sums = node.data.row ? node.data.row.sums : { records: 0, bytes: 0, files: 0, deletes: 0, partitions: 0, written: -Infinity };
    for (const { sums } of node.children || []) {
      for (const key of SUMS) node.sums[key] = plus(node.sums[key], sums[key]);
      node.sums.written = Math.max(node.sums.written, sums.written);
    }
  });
  return { rows: found.rows, complete: found.complete, total: found.answer.total_count, root, stats };
}

const SUMS = ["records", "bytes", "files", "deletes", "partitions"];
const deletesOf = (row) => (row.position_delete_file_count ?? 0) + (row.equality_delete_file_count ?? 0);

// Return a cached parser of times to Unix milliseconds, -Infinity for unknown ones: many partitions share a time.
function timesOf() {
  const known = new Map([[null, -Infinity]]);
  return (text) => {
    if (!known.has(text)) known.set(text, millisOf(text));
    return known.get(text);
  };
}

// Return the leaf columns of the current schema whose values have an order.
async function columnsOf(name, signal) {
  const found = await rows(tablePath(name, "/columns"), "columns", { fields: "column,overlap" }, { signal });
  return found.rows.filter((one) => one.overlap !== null).map((one) => one.column);
}

// Return the overlap of files on a column for each partition; null for partitions without data files.
async function overlapOf(name, column, partitions, signal) {
  const found = await rows(tablePath(name, "/overlap"), "overlap", { column, page_size: PAGE, fields: "partition,spec_id,mean,max" }, { most: MOST, signal });
  // Both lists have the same order; the list of overlaps lacks partitions without data files.
  let next = 0;
  return partitions.map((row) => {
    const own = found.rows[next];
    if (own === undefined || own.spec_id !== row.spec_id || !areEqual(own.partition, row.partition)) return null;
    next += 1;
    return own;
  });
}

function areEqual(one, other) {
  for (const key in other) if (one[key] !== other[key]) return false;
  return true;
}

const within = (value) => Math.max(0, Math.min(1, value));

// The strength of the colour of a leaf's tile, from 0 to 1, and its legend.
const SHADES = {
  small: {
    label: "Small files",
    scheme: ["--tile", "--tile-warm"],
    of: ({ stats }) => ({ data: { row } }) => (row.file_count ? within(Math.log2(Number(stats.small_files.least_bytes) / Math.max(1, Number(row.total_data_file_size_in_bytes) / row.file_count)) / HALVINGS) : 0),
    says: ({ stats }) => `stronger: smaller files on average; weakest from ${bytes(stats.small_files.least_bytes)} on`,
  },
  deletes: {
    label: "Delete files",
    scheme: ["--tile", "--tile-warm"],
    of: () => ({ sums }) => within(sums.deletes / Math.max(1, sums.files)),
    says: () => "stronger: more delete files for each data file; strongest from one each on",
  },
  overlap: {
    label: "Overlap",
    scheme: ["--tile", "--tile-warm"],
    of: ({ overlap }) => ({ data: { row } }) => (overlap && overlap[row.place] ? within(Math.log2(Math.max(1, overlap[row.place].mean ?? 1)) / OVERLAP_DOUBLINGS) : 0),
    says: ({ column }) => `stronger: more files of a partition hold the same value of ${column}; weakest is one, strongest from ${2 ** OVERLAP_DOUBLINGS} on`,
  },
  age: {
    label: "Age",
    scheme: ["--tile-fresh", "--tile"],
    of: ({ root }) => {
      const greatest = root.sums.written;
      let least = greatest;
      root.eachBefore(({ children, sums }) => { if (!children && sums.written > -Infinity) least = Math.min(least, sums.written); });
      return ({ sums }) => (sums.written > -Infinity ? within((greatest - sums.written) / Math.max(1, greatest - least)) : 1);
    },
    says: () => "stronger: written later",
  },
};

const nameOf = (node) => (node.field === undefined ? node.key || "all" : `${node.field}=${asText(node.value)}`);

export function Partitions({ table, version, params }) {
  const answer = useAnswer(`${table.name} ${version}`, (signal) => load(table.name, table.format, signal));
  return html`<${Loaded} answer=${answer} what="Loading partitions">${(data) => (data.rows.length === 0
    ? html`<${Empty} title="No partitions yet"><p>The table has no files.</p></${Empty}>`
    : html`<${View} table=${table} data=${data} params=${params} version=${version} />`)}</${Loaded}>`;
}

function zoomOf(params) {
  const path = stored(params.zoom);
  return Array.isArray(path) ? path : [];
}

function View({ table, data, params, version }) {
  const [pointed, setPointed] = useState(null);
  const modes = Object.keys(SHADES).filter((mode) => mode !== "deletes" || table.format === "iceberg");
  const mode = modes.includes(params.shade) ? params.shade : "small";
  const shading = SHADES[mode];
  const isOverlap = mode === "overlap";
  const columns = useAnswer(isOverlap ? `${table.name} ${version}` : null, (signal) => columnsOf(table.name, signal));
  const names = columns.data || [];
  const column = names.includes(params.column) ? params.column : names.find((one) => !table.partition_keys.includes(one)) || names[0];
  const overlap = useAnswer(isOverlap && column ? JSON.stringify([table.name, version, column]) : null, (signal) => overlapOf(table.name, column, data.rows, signal));
  const shown = isOverlap ? { ...data, column, overlap: overlap.loading ? null : overlap.data } : data;
  const shade = useMemo(() => shading.of(shown), [data, mode, shown.overlap]);
  const zoom = zoomOf(params);
  const node = find(data.root, zoom);
  const trail = node.ancestors().reverse();
  const depthOf = useMemo(() => (shown.overlap ? depthsOf(data.root, shown.overlap) : null), [data, shown.overlap]);
  const at = pointed && find(data.root, pointed);
  const go = (path) => change({ zoom: path.length ? JSON.stringify(path) : undefined });
  const onKey = (event) => {
    if (event.key === "Escape" && node.parent) go(pathOf(node.parent));
  };
  const failed = [columns, overlap].find((one) => one.error);
  return html`<div class="columns partitions" onKeyDown=${onKey}><div>
    <${Sheet} id="treemap" title=${data.complete ? plural(data.rows.length, "partition") : `${count(data.rows.length)} of ${count(data.total)} partitions`}
        aside=${html`<div class="choices" role="group" aria-label="Colour">${modes.map((one) => html`<button type="button" class="quiet" aria-pressed=${one === mode ? "true" : "false"} onClick=${() => change({ shade: one }, { replace: true })}>${SHADES[one].label}</button>`)}
          ${isOverlap && column && html`<select aria-label="Column" value=${column} onChange=${(event) => change({ column: event.target.value }, { replace: true })}>${names.map((one) => html`<option value=${one}>${one}</option>`)}</select>`}</div>`}>
      ${isOverlap && failed && html`<${Failure} error=${failed.error} retry=${failed.reload} />`}
      <nav class="trail" aria-label="Zoom">${trail.map((one, place) => html`${place > 0 ? html`<span class="dim" aria-hidden="true">/</span>` : ""}${one === node
        ? html`<strong aria-current="location"><${Name} value=${nameOf(one.data)} /></strong>` : html`<button type="button" class="link" onClick=${() => go(pathOf(one))}><${Name} value=${nameOf(one.data)} /></button>`}`)}</nav>
      <div aria-busy=${isOverlap && !shown.overlap && !failed ? "true" : "false"}><${Treemap} root=${data.root} zoom=${zoom} shade=${shade} scheme=${shading.scheme} chosen=${at} onZoom=${go} onPoint=${setPointed} name=${nameOf}
        label=${`Treemap of ${plural(node.sums.partitions, "partition")}: areas are bytes`} /></div>
      <p class="legend dim">Area: bytes of data files. Colour, ${isOverlap && !column ? (columns.loading ? "loading" : "no column has an order") : shading.says(shown)}.</p>
      <p class="pointed" aria-hidden="true">${at && html`<${Told} node=${at} depthOf=${depthOf} />`}</p>
    </${Sheet}></div><div>
    <${List} node=${node} go=${go} point=${setPointed} mode=${mode} depthOf=${depthOf} pointed=${at} /></div></div>
    ${table.format === "paimon" && html`<${Buckets} table=${table} version=${version} partition=${node.data.row ? node.data.row.partition : null} />`}`;
}

// Return a function from a node to its number of files with bounds, the sum of their depths, and the maximum depth.
function depthsOf(root, overlap) {
  const groups = new Map();
  const of = (node) => {
    if (node.children) return groups.get(node);
    const own = overlap[node.data.row.place];
    return own && own.mean !== null ? { files: node.sums.files, sum: own.mean * node.sums.files, most: own.max } : NO_DEPTH;
  };
  root.eachAfter((node) => {
    if (!node.children) return;
    const sums = { ...NO_DEPTH };
    for (const child of node.children) {
      const { files, sum, most } = of(child);
      sums.files += files;
      sums.sum += sum;
      sums.most = Math.max(sums.most, most);
    }
    groups.set(node, sums);
  });
  return of;
}

const NO_DEPTH = { files: 0, sum: 0, most: 0 };
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

function Depth({ found }) {
  if (!found || found.files === 0) return html`<span class="dim">–</span>`;
  const mean = found.sum / found.files;
  return html`<span class="number" title=${`mean ${mean}, at most ${count(found.most)}`}>${oneDigit.format(mean)}</span>`;
}

function Told({ node, depthOf }) {
  const path = node.ancestors().reverse().slice(1).map((one) => nameOf(one.data)).join(" / ");
  return html`<strong><${Name} value=${path || "unpartitioned"} /></strong> ${bytes(node.sums.bytes)}, ${plural(node.sums.files, "file")}, ${plural(node.sums.records, "record")}${depthOf && html`, overlap <${Depth} found=${depthOf(node)} />`}`;
}

// The last column shows the same value as the colours.
const LAST = {
  deletes: { label: "Deletes", end: true, of: (child) => html`<${Count} value=${child.sums.deletes} />` },
  overlap: { label: "Overlap", end: true, of: (child, depthOf) => html`<${Depth} found=${depthOf && depthOf(child)} />` },
};
const WRITTEN = { label: "Written", end: false, of: (child) => html`<${Day} value=${child.sums.written > -Infinity ? new Date(child.sums.written).toISOString() : null} />` };

function List({ node, go, point, mode, depthOf, pointed }) {
  const last = LAST[mode] || WRITTEN;
  const [shown, setShown] = useState(SHOWN);
  const own = node.children || [node];
  return html`<${Sheet} id="largest" title=${node.children ? html`Largest of <${Name} value=${nameOf(node.data)} />` : html`<${Name} value=${nameOf(node.data)} />`}
      aside=${html`<p class="dim">${bytes(node.sums.bytes)}, ${plural(node.sums.files, "file")}</p>`}>
    <table class="grid largest"><thead><tr><th scope="col">Partition</th><th scope="col" class="end">Size</th><th scope="col" class="end">Files</th><th scope="col" class="end">Records</th><th scope="col" class=${last.end ? "end" : ""}>${last.label}</th></tr></thead>
    <tbody>${own.slice(0, shown).map((child) => html`<tr key=${child.data.key} class=${child === pointed ? "chosen" : ""} onPointerEnter=${() => point(pathOf(child))} onPointerLeave=${() => point(null)}>
      <th scope="row">${child === node ? html`<${Name} value=${nameOf(child.data)} />` : html`<button type="button" class="link" onClick=${() => go(pathOf(child))} onFocus=${() => point(pathOf(child))} onBlur=${() => point(null)}><${Name} value=${nameOf(child.data)} /></button>`}</th>
      <td class="end"><${Bytes} value=${child.sums.bytes} /></td><td class="end"><${Count} value=${child.sums.files} /></td>
      <td class="end"><${Count} value=${child.sums.records} /></td><td class=${last.end ? "end" : ""}>${last.of(child, depthOf)}</td></tr>`)}</tbody></table>
    ${shown < own.length && html`<p class="more"><button type="button" onClick=${() => setShown(shown + 200)}>Show ${count(Math.min(200, own.length - shown))} more of ${count(own.length)}</button></p>`}
  </${Sheet}>`;
}
