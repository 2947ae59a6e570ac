// The pruning of a query: the funnel of its filter, the files that it keeps and drops, and the reasons.
import { get, post, rows, tablePath, useAnswer } from "./api.js";
import { BoundsGroups, BoundsMap, askedFor } from "./bounds_map.js";
import { FilterBox } from "./filter_box.js";
import { Bytes, Count, Name, count, percent, plural } from "./format.js";
import { Funnel } from "./funnel.js";
import { html, useEffect, useMemo, useState } from "./html.js";
import { Copy, Failure, Loading, Sheet, useSettled } from "./parts.js";
import { asCurl, asPython, asSql } from "./query_text.js";
import { FileReasons, Files } from "./reasons.js";
import { change, stored } from "./route.js";
import { fieldsOf } from "./schema.js";

// Maximum number of files that are shown one by one; of a larger table, a sample is shown.
const EACH = 500;
const SOME = 120;
const GROUPS = 180;
// Names of columns with bounds are sent in addresses, whose length servers limit.
const LONGEST = 1000;
// Maximum length of a path that the server explains.
const LONGEST_PATH = 4096;
const PAUSE_MS = 60;
// Pause in typing after which a request that reads all files of a large table is sent.
const REST_MS = 400;
const FIELDS = "file_path,partition,record_count,file_size_in_bytes";
const BOUNDS = ",lower_bounds,upper_bounds";

async function about(name, signal) {
  const [schemas, refs] = await Promise.all([
    rows(tablePath(name, "/schemas"), "schemas", {}, { signal }),
    rows(tablePath(name, "/refs"), "refs", {}, { signal }),
  ]);
  const own = schemas.rows.filter((schema) => schema.branch === "main");
  const current = own.find((schema) => schema.current) || own[own.length - 1];
  return { columns: current ? fieldsOf(current) : [], refs: refs.rows.filter((ref) => ref.name !== "main") };
}

// The snapshot in the address, for request bodies and for query strings.
const bodyOf = (params) => ({ filter: params.filter || null, ...(params.snapshot ? { snapshot_id: params.snapshot } : params.ref ? { ref: params.ref } : {}) });
const queryOf = (params) => (params.snapshot ? { snapshot: params.snapshot } : params.ref ? { ref: params.ref } : {});

async function funnelOf(name, params, signal) {
  const [explained, plan] = await Promise.all([
    post(tablePath(name, "/explain"), bodyOf(params), { signal }),
    post(tablePath(name, "/plan"), { ...bodyOf(params), page_size: 1 }, { signal }),
  ]);
  return { ...explained, counts: plan.counts };
}

// Return files with their verdicts: all files of a small table; of a large one, the first kept ones and the first ones.
async function sampleOf(name, params, column, signal) {
  const stats = column ? { stats: column } : {};
  const asked = { ...queryOf(params), ...stats, content: "data", fields: FIELDS + (column ? BOUNDS : "") };
  const listed = await get(tablePath(name, "/files"), { ...asked, page_size: EACH }, { signal });
  let files = listed.files;
  if (listed.next_page_token) {
    const body = { ...bodyOf(params), page_size: SOME / 2, ...(column ? { stats: [column] } : {}) };
    const plan = await post(tablePath(name, "/plan"), body, { signal });
    files = [...new Map([...plan.files, ...files].map((file) => [file.file_path, file])).values()].slice(0, SOME);
  }
  const paths = files.map((file) => file.file_path).filter((path) => path.length <= LONGEST_PATH);
  const explained = paths.length ? await explainSome(name, params, paths, signal) : [];
  const by = new Map(explained.map((file) => [file.file_path, file]));
  return { files: files.filter((file) => by.has(file.file_path)).map((file) => ({ ...file, ...by.get(file.file_path) })), complete: !listed.next_page_token && explained.length === listed.files.length };
}

// Return the bounds of all files in groups, for the key of a sample.
function boundsOf(name, key, signal) {
  const [question, column] = JSON.parse(key);
  const { filter, snapshot_id: snapshot, ref } = JSON.parse(question)[2];
  return get(tablePath(name, "/bounds"), { snapshot, ref, column, groups: GROUPS, filter }, { signal });
}

async function explainSome(name, params, paths, signal) {
  try {
    return (await post(tablePath(name, "/explain"), { ...bodyOf(params), files: paths }, { signal })).files;
  } catch (problem) {
    // The server explains fewer files for a filter of many comparisons.
    if (!problem.details || !problem.details.most) throw problem;
    return (await post(tablePath(name, "/explain"), { ...bodyOf(params), files: paths.slice(0, problem.details.most) }, { signal })).files;
  }
}

export function Why({ table, version, params }) {
  const name = table.name;
  const known = useAnswer(`${name} ${version}`, (signal) => about(name, signal));
  const [typed, setTyped] = useState(params.filter || "");
  const settled = useSettled(typed, PAUSE_MS);
  useEffect(() => {
    const asked = settled.trim();
    if (asked !== (params.filter || "")) change({ filter: asked || undefined, part: undefined }, { replace: true });
  }, [settled]);
  useEffect(() => { if ((params.filter || "") !== settled.trim()) setTyped(params.filter || ""); }, [params.filter]);
  const question = JSON.stringify([name, version, bodyOf(params)]);
  const funnel = useAnswer(question, (signal) => funnelOf(name, params, signal));
  const columns = known.data ? known.data.columns : [];
  const leaves = columns.filter((column) => column.name.length <= LONGEST && !/^(struct|list|map|array|row|multiset)/i.test(column.type));
  const column = params.column || columnOf(funnel.data && funnel.data.applied, leaves, table);
  const type = (columns.find((one) => one.name === column) || { type: "" }).type;
  const isWrong = funnel.error !== null && funnel.error.status === 400;
  const answered = funnel.data && !isWrong && !funnel.loading && known.data ? JSON.stringify([question, column]) : null;
  const sample = useAnswer(answered, (signal) => sampleOf(name, params, column, signal));
  return html`
    <div class="ask">
      <${FilterBox} value=${typed} onInput=${setTyped} onDone=${() => change({ filter: typed.trim() || undefined })} columns=${columns} error=${isWrong && settled === typed ? funnel.error : null} />
      <div class="at"><label for="at">At</label><select id="at" value=${params.snapshot ? "snapshot" : params.ref || ""} onChange=${(event) => change({ ref: event.target.value || undefined, snapshot: undefined, part: undefined })}>
        <option value="">now</option>${params.snapshot && html`<option value="snapshot">snapshot ${params.snapshot}</option>`}
        ${known.data && known.data.refs.map((ref) => html`<option value=${ref.name}>${ref.type} ${ref.name}</option>`)}</select></div>
      <div class="copies" role="group" aria-label="Copy the query"><span class="dim">Copy as</span><${Copy} label="curl" text=${asCurl(name, bodyOf(params))} /><${Copy} label="SQL" text=${asSql(name, params.filter, params.ref || params.snapshot)} /><${Copy} label="Python" text=${asPython(name, params.filter, params)} /></div>
    </div>
    ${funnel.error && !isWrong && html`<${Failure} error=${funnel.error} retry=${funnel.reload} />`}
    ${funnel.data === null ? (funnel.loading ? html`<${Loading} what="Planning" />` : null) : html`<div aria-busy=${funnel.loading ? "true" : "false"}>
      ${isWrong && html`<p class="dim">Below is the answer for the last filter that was valid.</p>`}
      <${Answer} table=${table} data=${funnel.data} atNow=${!params.ref && !params.snapshot} />
      <div class="columns"><div>
        <${Levels} data=${funnel.data} sample=${sample} params=${params} />
      </div><div>
        <${Bounds} name=${name} params=${params} column=${column} leaves=${leaves} type=${type} applied=${funnel.data.applied} sample=${sample} />
        <${One} name=${name} params=${params} sample=${sample} question=${question} />
      </div></div></div>`}`;
}

// The bounds of a column: of each file, or of groups of files in a large table.
function Bounds({ name, params, column, leaves, type, applied, sample }) {
  const isLarge = sample.data !== null && !sample.data.complete;
  // For the last valid filter, as for the list of files.
  const key = useSettled(isLarge && column ? sample.of : null, REST_MS);
  const map = useAnswer(key, (signal) => boundsOf(name, key, signal));
  const asked = askedFor(applied, column);
  const choose = (file) => change({ file }, { replace: true });
  let drawing = null;
  if (sample.data && !isLarge) drawing = html`<${BoundsMap} files=${sample.data.files} column=${column} type=${type} asked=${asked} chosen=${params.file} choose=${choose} />`;
  else if (isLarge && map.data) drawing = html`<div aria-busy=${map.loading ? "true" : "false"}><${BoundsGroups} map=${map.data} type=${type} asked=${asked} /></div>`;
  const failed = [sample, map].find((one) => one.error);
  return html`<${Sheet} id="bounds" title="Bounds of files" aside=${html`<select aria-label="Column" value=${column} onChange=${(event) => change({ column: event.target.value }, { replace: true })}>${leaves.map((one) => html`<option value=${one.name}>${one.name}</option>`)}</select>`}>
    ${failed && html`<${Failure} error=${failed.error} retry=${failed.reload} />`}
    ${drawing ? html`${drawing}<p class="legend"><span class="swatch kept"></span>kept ${isLarge && html`<span class="swatch some"></span>some kept `}<span class="swatch out"></span>dropped <span class="swatch asked"></span>asked for</p>${isLarge && html`<${Grouped} map=${map.data} />`}` : !failed && html`<${Loading} what="Loading bounds" />`}
  </${Sheet}>`;
}

function Grouped({ map }) {
  const { groups } = map;
  const each = groups.length ? groups[groups.length - 1].files : 0;
  const beside = [
    map.open_files > 0 && `${plural(map.open_files, "file lacks", "files lack")} a bound`,
    map.empty_files > 0 && `${plural(map.empty_files, "file holds", "files hold")} no value`,
  ].filter(Boolean);
  return html`<p class="legend dim">All ${count(map.files)} files, ${count(each)} in each bar: it reaches from their least lower to their greatest upper bound; half of them end within its strong part.${beside.length > 0 && ` Not drawn: ${beside.join(", ")}.`}</p>`;
}

// Return whether a text has a name that no letter, digit or underscore touches. Names may be too long for an expression.
function names(text, name) {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + name.length, at + name.length + 2)];
    if (!/[\p{L}\p{N}_]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}

// Return the column to show first: one that the filter compares, or the first column of the table.
function columnOf(applied, columns, table) {
  const words = (applied || []).join(" ");
  const named = columns.filter((column) => names(words, column.name));
  const known = named.find((column) => !table.partition_keys.includes(column.name)) || named[0] || columns[0];
  return known ? known.name : "";
}

function Answer({ table, data, atNow }) {
  const { files, bytes, records } = data.counts;
  const share = atNow && Number(table.data_files) > 0 ? files / Number(table.data_files) : null;
  return html`<p class="headline answer-line" role="status">A query reads <strong><${Count} value=${files} /></strong>${atNow ? html` of <${Count} value=${table.data_files} />` : ""} files, <strong><${Bytes} value=${bytes} /></strong>, <strong><${Count} value=${records} /></strong> records${share === null ? "" : html` <span class="dim">${percent(share)} of the files</span>`}</p>
    ${data.not_applied.map((one) => html`<p class="notice"><code><${Name} value=${one.filter} /></code> drops no file: <${Name} value=${one.reason} /></p>`)}
    ${data.stale && html`<p class="notice">Not the newest state: <${Name} value=${data.stale} /></p>`}`;
}

function Levels({ data, sample, params }) {
  const conjuncts = useMemo(() => [...new Set([...data.applied, ...data.funnel.flatMap((level) => level.dropped_by.map((part) => part.filter))])], [data]);
  const chosen = stored(params.part);
  const choose = (part) => change({ part: part === null ? undefined : JSON.stringify(part) });
  const files = sample.data ? sample.data.files : [];
  // Files that segments and zones drop are explained by the more specific bounds of their entries.
  const level = chosen && { segments: "entries", zones: "entries" }[chosen.level] || (chosen && chosen.level);
  const shown = chosen ? files.filter((file) => file.state === "dropped" && file.level === level && file.dropped_by === chosen.filter) : files;
  return html`<${Sheet} id="funnel" title="Pruning"><${Funnel} funnel=${data.funnel} conjuncts=${conjuncts} chosen=${chosen} choose=${choose} /></${Sheet}>
    <${Sheet} id="files" title=${chosen ? html`Dropped by <code><${Name} value=${chosen.filter} /></code>` : "Files"} aside=${chosen ? html`<button type="button" class="quiet" onClick=${() => choose(null)}>Show all</button>` : sample.data && !sample.data.complete && html`<p class="dim">${count(files.length)} of them: the first that are kept, and the first of all</p>`}>
      ${sample.data ? html`<${Files} files=${shown} chosen=${params.file} choose=${(file) => change({ file }, { replace: true })} empty=${chosen ? "None of the files that are listed here" : "No files"} />` : !sample.error && html`<${Loading} what="Loading files" />`}
    </${Sheet}>`;
}

// The explanation of any file by its path, including files that are not listed.
function One({ name, params, sample, question }) {
  const [typed, setTyped] = useState(params.file || "");
  useEffect(() => setTyped(params.file || ""), [params.file]);
  const listed = sample.data && sample.data.files.find((file) => file.file_path === params.file);
  const key = params.file && sample.data && !listed ? JSON.stringify([question, params.file]) : null;
  const asked = useAnswer(key, async (signal) => (await post(tablePath(name, "/explain"), { ...bodyOf(params), files: [params.file] }, { signal })).files[0]);
  const found = listed || (key !== null && asked.of === key ? asked.data : null);
  return html`<${Sheet} id="file" title="Why this file">
    <form class="one" onSubmit=${(event) => { event.preventDefault(); change({ file: typed.trim() || undefined }); }}>
      <input type="text" aria-label="Path of a file" placeholder="Choose a file, or enter its path" spellcheck=${false} value=${typed} onInput=${(event) => setTyped(event.target.value)} /><button type="submit">Explain</button></form>
    ${key !== null && asked.error && html`<${Failure} error=${asked.error} />`}
    ${found && html`<${FileReasons} file=${found} />`}
  </${Sheet}>`;
}
