// A table's history: the timeline, the chosen commit, the difference between two snapshots, and the expiry.
import { get, rows, tablePath, useAnswer } from "./api.js";
import { Diff } from "./diff.js";
import { Expiry, useExpiry } from "./expiry.js";
import { Bytes, Change, Count, Name, Time, bytes, count, millisOf, plural } from "./format.js";
import { html, useMemo, useState } from "./html.js";
import { Empty, Loaded, Sheet } from "./parts.js";
import { change } from "./route.js";
import { Timeline } from "./timeline.js";

const MOST = 1000;
const BRANCHES = 12;
const SHOWN = 30;

async function load(name, signal) {
  const path = tablePath(name, "/timeline");
  const [refs, main] = await Promise.all([
    rows(tablePath(name, "/refs"), "refs", {}, { signal }),
    rows(path, "timeline", {}, { most: MOST, signal }),
  ]);
  const branches = refs.rows.filter((ref) => ref.type === "branch" && ref.name !== "main");
  const others = await Promise.all(branches.slice(0, BRANCHES).map(async (ref) => {
    const found = await rows(path, "timeline", { ref: ref.name }, { most: 200, signal });
    return { name: ref.name, commits: found.rows };
  }));
  return { refs: refs.rows, main: main.rows, complete: main.complete, others, hidden: branches.length - others.length };
}

const keyOf = (commit) => `${commit.branch} ${commit.snapshot_id}`;

// Return the commits of all branches, oldest first, each in the lane of the first branch that contains it.
function lanesOf({ main, others }) {
  const found = new Map();
  const names = [];
  for (const branch of [{ name: "main", commits: main }, ...others]) {
    const own = branch.commits.filter((commit) => !found.has(keyOf(commit)));
    own.forEach((commit) => found.set(keyOf(commit), { ...commit, key: keyOf(commit), lane: names.length }));
    // A branch without own commits is a mark on another branch's lane.
    if (own.length) names.push(branch.name);
  }
  const commits = [...found.values()].reverse();
  commits.sort((one, other) => (millisOf(one.committed_at) || 0) - (millisOf(other.committed_at) || 0));
  return { names, commits };
}

export function History({ table, version, params }) {
  const name = table.name;
  const answer = useAnswer(`${name} ${version}`, (signal) => load(name, signal));
  return html`<${Loaded} answer=${answer} what="Loading the history">${(data) =>
    data.main.length === 0 && data.others.every((branch) => branch.commits.length === 0)
      ? html`<${Empty} title="No snapshots yet"><p>The table has been created; nothing was committed.</p></${Empty}>`
      : html`<${Commits} table=${table} data=${data} params=${params} version=${version} />`}</${Loaded}>`;
}

function Commits({ table, data, params, version }) {
  const { names, commits } = useMemo(() => lanesOf(data), [data]);
  const expiry = useExpiry(table.name, params, version);
  const by = useMemo(() => new Map(commits.map((commit) => [commit.key, commit])), [commits]);
  // Not always the newest by time: the clocks of writers may differ.
  const last = by.get(`main ${table.current_snapshot_id}`) || commits.findLast((commit) => commit.lane === 0) || commits[commits.length - 1];
  const chosen = by.get(params.to) || last;
  const from = params.from === undefined ? null : by.get(params.from) || null;
  const choose = (key, extend) => {
    if (!extend) change({ to: key, from: undefined });
    else if (key !== chosen.key) {
      const earliest = from || chosen;
      change({ from: earliest.key, to: key });
    } else change({ from: undefined });
  };
  const ordered = from && commits.indexOf(from) > commits.indexOf(chosen) ? [chosen, from] : [from, chosen];
  return html`
    <${Sheet} id="timeline" title="Timeline" aside=${html`<p class="dim">${plural(commits.length, "commit")}${data.complete ? "" : `, the newest ${count(MOST)} of main`}${data.hidden > 0 ? `; ${plural(data.hidden, "more branch", "more branches")}` : ""} · <kbd>←</kbd> <kbd>→</kbd> choose, with <kbd>Shift</kbd> a range to compare</p>`}>
      <${Timeline} names=${names} commits=${commits} refs=${data.refs} chosen=${chosen} from=${from} choose=${choose} gone=${expiry.gone} />
    </${Sheet}>
    <div class="columns">
      ${from === null
        ? html`<${Commit} commit=${chosen} refs=${data.refs} previous=${by.get(`${chosen.branch} ${chosen.parent_id}`)} />`
        : html`<${Diff} table=${table.name} from=${ordered[0]} to=${ordered[1]} close=${() => change({ from: undefined })} />`}
      <${Expiry} commits=${commits.filter((commit) => commit.lane === 0)} expiry=${expiry} params=${params} />
    </div>
    <${List} commits=${commits} names=${names} chosen=${chosen} choose=${choose} />`;
}

const word = (commit) => commit.operation || (commit.commit_kind || "commit").toLowerCase();

function Commit({ commit, refs, previous }) {
  const tags = refs.filter((ref) => ref.snapshot_id === commit.snapshot_id && ref.branch === commit.branch);
  const row = (label, kind, as) => html`<tr><th scope="row">${label}</th>
    <td class="end"><${Change} value=${commit[`added_${kind}`]} sign="+" as=${as} /></td>
    <td class="end"><${Change} value=${commit[`removed_${kind}`]} sign="-" as=${as} /></td>
    <td class="end">${as === bytes ? html`<${Bytes} value=${commit[`total_${kind}`]} />` : html`<${Count} value=${commit[`total_${kind}`]} />`}</td></tr>`;
  return html`<${Sheet} id="commit" title=${html`<span class="operation">${word(commit)}</span> <${Time} value=${commit.committed_at} />`}
      aside=${previous && html`<button type="button" onClick=${() => change({ from: previous.key, to: commit.key })}>Show its files</button>`}>
    <p class="dim">Snapshot <code>${commit.snapshot_id}</code>${tags.map((ref) => html` <span class="tag accent"><${Name} value=${ref.name} /></span>`)}</p>
    ${commit.state === "quarantined" && html`<p class="notice"><strong>Quarantined.</strong> ${commit.reason}</p>`}
    ${commit.state !== "quarantined" && commit.reason && html`<p class="dim">${commit.reason}</p>`}
    <table class="grid plain"><thead><tr><th scope="col"><span class="hidden">Figure</span></th><th scope="col" class="end">Added</th><th scope="col" class="end">Removed</th><th scope="col" class="end">Then</th></tr></thead><tbody>
      ${row("Records", "records", count)}${row("Data files", "data_files", count)}${row("Delete files", "delete_files", count)}${row("Size", "bytes", bytes)}
      <tr><th scope="row">Partitions changed</th><td></td><td></td><td class="end"><${Count} value=${commit.partitions} /></td></tr></tbody></table>
    ${commit.gap_before && html`<p class="dim">Before it, ${commit.gap_before.snapshots === null ? "snapshots have" : plural(commit.gap_before.snapshots, "snapshot has", "snapshots have")} expired.</p>`}
  </${Sheet}>`;
}

function List({ commits, names, chosen, choose }) {
  const [shown, setShown] = useState(SHOWN);
  const newest = useMemo(() => [...commits].reverse(), [commits]);
  return html`<${Sheet} id="commits" title="Commits">
    <table class="grid"><thead><tr><th scope="col">Committed</th><th scope="col">Operation</th><th scope="col">Branch</th><th scope="col" class="end">Records</th><th scope="col" class="end">Files</th><th scope="col" class="end">Size</th><th scope="col" class="end">Partitions</th><th scope="col" class="end">Files then</th><th scope="col" class="end">Size then</th></tr></thead>
    <tbody>${newest.slice(0, shown).map((commit) => html`<tr key=${commit.key} class=${commit.key === chosen.key ? "chosen" : ""}>
      <th scope="row"><button type="button" class="link" aria-pressed=${commit.key === chosen.key ? "true" : "false"} title="Choose; with Shift, compare" onClick=${(event) => choose(commit.key, event.shiftKey)}><${Time} value=${commit.committed_at} /></button></th>
      <td>${word(commit)}${commit.state === "published" ? "" : html` <span class="tag warn" title=${commit.reason}>${commit.state === "known" ? "not indexed" : commit.state}</span>`}</td>
      <td><${Name} value=${names[commit.lane]} /></td>
      ${["records", "data_files", "bytes"].map((kind) => html`<td class="end"><${Change} value=${commit[`added_${kind}`]} sign="+" as=${kind === "bytes" ? bytes : count} /> <${Change} value=${commit[`removed_${kind}`]} sign="-" as=${kind === "bytes" ? bytes : count} /></td>`)}
      <td class="end"><${Count} value=${commit.partitions} why=${commit.reason} /></td>
      <td class="end"><${Count} value=${commit.total_data_files} why=${commit.reason} /></td>
      <td class="end"><${Bytes} value=${commit.total_bytes} why=${commit.reason} /></td></tr>`)}</tbody></table>
    ${shown < newest.length && html`<p class="more"><button type="button" onClick=${() => setShown(shown + 100)}>Show ${count(Math.min(100, newest.length - shown))} more</button></p>`}
  </${Sheet}>`;
}
