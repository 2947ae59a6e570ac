// Where a table's bytes are: a treemap of its partitions, and the same as a table.
import { get, rows, tablePath, useAnswer } from "./api.js";
import { Buckets } from "./buckets.js";
import { Bytes, Count, Day, Name, asText, bytes, count, plural } from "./format.js";
import { html, useMemo, useState } from "./html.js";
import { Empty, Failure, Loaded, Sheet } from "./parts.js";
import { change } from "./route.js";
import { Treemap, find, layOut, treeOf } from "./treemap.js";

const MOST = 100_000;
const PAGE = 10_000;
const SHOWN = 50;
// Average sizes of files are shown by the logarithm: darkest at the thousandth part of the least good one.
const HALVINGS = 10;
// As the thresholds of the component of health: critical from 16 files on.
const OVERLAP_DOUBLINGS = 4;
const FIELDS = "partition,spec_id,record_count,file_count,total_data_file_size_in_bytes,last_updated_at";
const DELETES = ",position_delete_file_count,equality_delete_file_count";

async function load(name, format, signal) {
  const fields = format === "iceberg" ? FIELDS + DELETES : FIELDS;
  const [found, stats] = await Promise.all([
    rows(tablePath(name, "/partitions"), "partitions", { fields, page_size: PAGE }, { most: MOST, signal }),
    get(tablePath(name, "/stats"), {}, { signal }),
  ]);
  const root = layOut(treeOf(found.rows));
  root.eachAfter((node) => {
    const own = node.data.row;
    node.sums = { records: own ? Number(own.record_count) : 0, files: own ? own.file_count : 0, deletes: own ? deletesOf(own) : 0, partitions: own ? 1 : 0, last: own ? own.last_updated_at : null };
    for (const child of node.children || []) {
      for (const key of ["records", "files", "deletes", "partitions"]) node.sums[key] += child.sums[key];
      if (node.sums.last === null || (child.sums.last !== null && child.sums.last > node.sums.last)) node.sums.last = child.sums.last;
    }
  });
  return { rows: found.rows, complete: found.complete, total: found.answer.total_count, root, stats };
}

// The leaf columns of the current schema, and how far files overlap on one of them, by row of the partitions.
async function columnsOf(name, signal) {
  const found = await rows(tablePath(name, "/columns"), "columns", { fields: "column,overlap" }, { signal });
  return found.rows.filter((one) => one.overlap !== null).map((one) => one.column);
}

async function overlapOf(name, column, partitions, signal) {
  const found = await rows(tablePath(name, "/overlap"), "overlap", { column, page_size: PAGE, fields: "partition,spec_id,mean,max" }, { most: MOST, signal });
  // Both lists have one order; partitions without data files are in one of them only.
  const by = new Map();
  let place = 0;
  for (const row of partitions) {
    const own = found.rows[place];
    if (own === undefined) break;
    if (own.spec_id === row.spec_id && areEqual(own.partition, row.partition)) {
      by.set(row, own);
      place += 1;
    }
  }
  return by;
}

const areEqual = (one, other) => Object.keys(other).every((key) => one[key] === other[key]);

const deletesOf = (row) => (row.position_delete_file_count ?? 0) + (row.equality_delete_file_count ?? 0);
const within = (value) => Math.max(0, Math.min(1, value));

// How dark a tile is, from 0 to 1, and what that says.
const SHADES = {
  small: {
    label: "Small files",
    scheme: ["--tile", "--tile-warm"],
    of: ({ stats }) => (row) => (row.file_count ? within(Math.log2(Number(stats.small_files.least_bytes) / Math.max(1, Number(row.total_data_file_size_in_bytes) / row.file_count)) / HALVINGS) : 0),
    says: ({ stats }) => `darker: smaller files on average; lightest from ${bytes(stats.small_files.least_bytes)} on`,
  },
  deletes: {
    label: "Delete files",
    scheme: ["--tile", "--tile-warm"],
    of: () => (row) => within(deletesOf(row) / Math.max(1, row.file_count)),
    says: () => "darker: more delete files for each data file; darkest from one each on",
  },
  overlap: {
    label: "Overlap",
    scheme: ["--tile", "--tile-warm"],
    of: ({ overlap }) => (row) => (overlap && overlap.has(row) ? within(Math.log2(Math.max(1, overlap.get(row).mean ?? 1)) / OVERLAP_DOUBLINGS) : 0),
    says: ({ column }) => `darker: more files of a partition hold the same value of ${column}; lightest is one, darkest from ${2 ** OVERLAP_DOUBLINGS} on`,
  },
  age: {
    label: "Age",
    scheme: ["--tile-fresh", "--tile"],
    of: ({ rows: all }) => {
      const times = all.map((row) => Date.parse(row.last_updated_at)).filter(Number.isFinite);
      const least = times.reduce((one, other) => Math.min(one, other), Infinity);
      const greatest = times.reduce((one, other) => Math.max(one, other), -Infinity);
      return (row) => (row.last_updated_at ? within((greatest - Date.parse(row.last_updated_at)) / Math.max(1, greatest - least)) : 1);
    },
    says: () => "stronger: written later",
  },
};

const nameOf = (node) => (node.field === undefined ? node.key || "all" : `${node.field}=${asText(node.value)}`);
const time = (value) => (value && !/[zZ]$|[+-]\d\d:\d\d$/.test(value) ? `${value}Z` : value);

export function Partitions({ table, version, params }) {
  const answer = useAnswer(`${table.name} ${version}`, (signal) => load(table.name, table.format, signal));
  return html`<${Loaded} answer=${answer} what="Loading partitions">${(data) => (data.rows.length === 0
    ? html`<${Empty} title="No partitions yet"><p>The table has no files.</p></${Empty}>`
    : html`<${View} table=${table} data=${data} params=${params} version=${version} />`)}</${Loaded}>`;
}

function pathOf(params) {
  try {
    const path = JSON.parse(params.zoom || "[]");
    return Array.isArray(path) ? path : [];
  } catch {
    return [];
  }
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
  const zoom = pathOf(params);
  const node = find(data.root, zoom);
  const trail = node.ancestors().reverse();
  const go = (path) => change({ zoom: path.length ? JSON.stringify(path) : undefined });
  const onKey = (event) => {
    if (event.key === "Escape" && node.parent) go(node.parent.data.path);
  };
  const failed = [columns, overlap].find((one) => one.error);
  return html`<div class="columns partitions" onKeyDown=${onKey}><div>
    <${Sheet} id="treemap" title=${data.complete ? plural(data.rows.length, "partition") : `${count(data.rows.length)} of ${count(data.total)} partitions`}
        aside=${html`<div class="choices" role="group" aria-label="Colour">${modes.map((one) => html`<button type="button" class="quiet" aria-pressed=${one === mode ? "true" : "false"} onClick=${() => change({ shade: one }, { replace: true })}>${SHADES[one].label}</button>`)}
          ${isOverlap && column && html`<select aria-label="Column" value=${column} onChange=${(event) => change({ column: event.target.value }, { replace: true })}>${names.map((one) => html`<option value=${one}>${one}</option>`)}</select>`}</div>`}>
      ${isOverlap && failed && html`<${Failure} error=${failed.error} retry=${failed.reload} />`}
      <nav class="trail" aria-label="Zoom">${trail.map((one, place) => html`${place > 0 ? html`<span class="dim" aria-hidden="true">/</span>` : ""}${one === node
        ? html`<strong aria-current="location"><${Name} value=${nameOf(one.data)} /></strong>` : html`<button type="button" class="link" onClick=${() => go(one.data.path)}><${Name} value=${nameOf(one.data)} /></button>`}`)}</nav>
      <div aria-busy=${isOverlap && !shown.overlap && !failed ? "true" : "false"}><${Treemap} root=${data.root} zoom=${zoom} shade=${shade} scheme=${shading.scheme} chosen=${pointed} onZoom=${go} onPoint=${setPointed} name=${nameOf}
        label=${`Treemap of ${plural(node.sums.partitions, "partition")}: areas are bytes`} /></div>
      <p class="legend dim">Area: bytes of data files. Colour, ${isOverlap && !column ? (columns.loading ? "loading" : "no column has an order") : shading.says(shown)}.</p>
      <p class="pointed" aria-hidden="true">${pointed && html`<${Told} root=${data.root} node=${pointed} overlap=${shown.overlap} />`}</p>
    </${Sheet}></div><div>
    <${List} node=${node} go=${go} point=${setPointed} mode=${mode} overlap=${shown.overlap} pointed=${pointed} /></div></div>
    ${table.format === "paimon" && html`<${Buckets} table=${table} version=${version} partition=${node.data.row ? node.data.row.partition : null} />`}`;
}

// The mean depth of a node's files, and the greatest.
function depthOf(node, overlap) {
  let [files, sum, most] = [0, 0, 0];
  node.eachBefore((leaf) => {
    const own = leaf.data.row && overlap.get(leaf.data.row);
    if (!own || own.mean === null) return;
    files += leaf.data.row.file_count;
    sum += own.mean * leaf.data.row.file_count;
    most = Math.max(most, own.max);
  });
  return files ? { mean: sum / files, most } : null;
}

const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

function Depth({ node, overlap }) {
  const found = overlap && depthOf(node, overlap);
  return found ? html`<span class="number" title=${`mean ${found.mean}, at most ${count(found.most)}`}>${oneDigit.format(found.mean)}</span>` : html`<span class="dim">–</span>`;
}

function Told({ root, node, overlap }) {
  const own = find(root, node.path);
  return html`<strong><${Name} value=${node.path.map((key) => JSON.parse(key.startsWith("[") ? key : `["spec", ${JSON.stringify(key)}]`)).map(([field, value]) => `${field}=${asText(value)}`).join(" / ") || "unpartitioned"} /></strong> ${bytes(own.value)}, ${plural(own.sums.files, "file")}, ${plural(own.sums.records, "record")}${overlap && html`, overlap <${Depth} node=${own} overlap=${overlap} />`}`;
}

// The last column is of what the colours show.
const LAST = {
  deletes: { label: "Deletes", end: true, of: (child) => html`<${Count} value=${child.sums.deletes} />` },
  overlap: { label: "Overlap", end: true, of: (child, overlap) => html`<${Depth} node=${child} overlap=${overlap} />` },
};
const WRITTEN = { label: "Written", end: false, of: (child) => html`<${Day} value=${time(child.sums.last)} />` };

function List({ node, go, point, mode, overlap, pointed }) {
  const last = LAST[mode] || WRITTEN;
  const [shown, setShown] = useState(SHOWN);
  const own = node.children || [node];
  return html`<${Sheet} id="largest" title=${node.children ? html`Largest of <${Name} value=${nameOf(node.data)} />` : html`<${Name} value=${nameOf(node.data)} />`}
      aside=${html`<p class="dim">${bytes(node.value)}, ${plural(node.sums.files, "file")}</p>`}>
    <table class="grid largest"><thead><tr><th scope="col">Partition</th><th scope="col" class="end">Size</th><th scope="col" class="end">Files</th><th scope="col" class="end">Records</th><th scope="col" class=${last.end ? "end" : ""}>${last.label}</th></tr></thead>
    <tbody>${own.slice(0, shown).map((child) => html`<tr key=${child.data.key} class=${pointed && pointed.path.join() === child.data.path.join() ? "chosen" : ""} onPointerEnter=${() => point(child.data)} onPointerLeave=${() => point(null)}>
      <th scope="row">${child === node ? html`<${Name} value=${nameOf(child.data)} />` : html`<button type="button" class="link" onClick=${() => go(child.data.path)} onFocus=${() => point(child.data)} onBlur=${() => point(null)}><${Name} value=${nameOf(child.data)} /></button>`}</th>
      <td class="end"><${Bytes} value=${child.value} /></td><td class="end"><${Count} value=${child.sums.files} /></td>
      <td class="end"><${Count} value=${child.sums.records} /></td><td class=${last.end ? "end" : ""}>${last.of(child, overlap)}</td></tr>`)}</tbody></table>
    ${shown < own.length && html`<p class="more"><button type="button" onClick=${() => setShown(shown + 200)}>Show ${count(Math.min(200, own.length - shown))} more of ${count(own.length)}</button></p>`}
  </${Sheet}>`;
}
