// The event log, newest first, and new events as they arrive.
import { get, useAnswer } from "./api.js";
import { Name, Time, asText, inWords } from "./format.js";
import { html, useEffect, useState } from "./html.js";
import { listen } from "./live.js";
import { Empty, Failure, Loaded, Scroll, useSettled, useTitle } from "./parts.js";
import { change, href } from "./route.js";

const BACK = 1000;
const SHOWN = 200;
const TYPES = {
  "table.committed": "committed", "table.ref_changed": "ref changed", "table.altered": "altered", "table.registered": "registered",
  "table.removed": "removed", "table.renamed": "renamed", "table.quarantined": "quarantined", "table.recovered": "recovered",
  "health.changed": "health changed", "partition.ready": "partition ready",
};
const BAD = new Set(["table.quarantined", "table.removed", "events.lost"]);

const filterOf = ({ type, table, namespace }) => ({ type, table, namespace });

// Return the events up to the id `before`, by default the newest, going back `BACK` ids.
async function load(params, before, signal) {
  const asked = filterOf(params);
  const newest = before ?? (await get("events", { ...asked, after: "latest", page_size: 1 }, { signal })).last_event_id;
  const start = Math.max(0, Number(newest) - BACK);
  const found = [];
  let after = String(start);
  let more = true;
  while (more) {
    const page = await get("events", { ...asked, after, page_size: BACK }, { signal });
    found.push(...page.events.filter((event) => Number(event.id) <= Number(newest)));
    after = page.last_event_id;
    more = page.more && Number(after) < Number(newest);
  }
  return { events: found.reverse(), start };
}

function matches(event, { type, table, namespace }) {
  const own = event.data.namespace || "";
  return (!type || event.type === type) && (!table || event.subject === table) && (!namespace || own === namespace || own.startsWith(`${namespace}.`));
}

export function Events({ params }) {
  useTitle("Events");
  const key = JSON.stringify(filterOf(params));
  const [typed, setTyped] = useState(params.table || "");
  const settled = useSettled(typed.trim(), 200);
  useEffect(() => change({ table: settled || undefined }, { replace: true }), [settled]);
  useEffect(() => { if ((params.table || "") !== settled) setTyped(params.table || ""); }, [params.table]);
  const answer = useAnswer(key, (signal) => load(params, null, signal));
  const [fresh, setFresh] = useState([]);
  const [older, setOlder] = useState({ key, events: [], start: null, error: null });
  useEffect(() => listen((event) => setFresh((last) => [event, ...last].slice(0, BACK))), []);
  useEffect(() => setOlder({ key, events: [], start: null, error: null }), [key]);
  return html`<div class="page-head"><h1>Events</h1><div class="tools">
      <input type="search" aria-label="Table" aria-keyshortcuts="/" placeholder="All tables – enter a name" value=${typed} onInput=${(event) => setTyped(event.target.value)} />
      <select aria-label="Type" value=${params.type || ""} onChange=${(event) => change({ type: event.target.value || undefined })}><option value="">All types</option>${Object.entries(TYPES).map(([type, label]) => html`<option value=${type}>${label}</option>`)}</select></div></div>
    <${Loaded} answer=${answer} what="Loading events">${(data) => {
      const known = new Set(data.events.map((event) => event.id));
      const own = older.key === key ? older : { events: [], start: null };
      const all = [...fresh.filter((event) => !known.has(event.id) && matches(event, params)), ...data.events, ...own.events];
      const start = own.start ?? data.start;
      const earlier = () => load(params, String(start), undefined).then(
        (found) => setOlder({ key, events: [...own.events, ...found.events], start: found.start, error: null }),
        (error) => setOlder((last) => ({ ...last, error })));
      return html`${all.length === 0
        ? html`<${Empty} title="No events">${params.type || params.table ? html`<p><a href="#/events">Show all events</a></p>` : html`<p>Commits and registrations are shown here as they happen.</p>`}</${Empty}>`
        : html`<${Log} events=${all} />`}
      ${own.error && html`<${Failure} error=${own.error} />`}
      ${start > 0 && html`<p class="more"><button type="button" onClick=${earlier}>Earlier events</button></p>`}`;
    }}</${Loaded}>`;
}

function Log({ events }) {
  const [shown, setShown] = useState(SHOWN);
  return html`<${Scroll}><table class="grid roomy event-log"><thead><tr><th scope="col">Time</th><th scope="col">What</th><th scope="col">Table</th><th scope="col">Details</th></tr></thead>
    <tbody>${events.slice(0, shown).map((event) => html`<tr key=${event.id}>
      <td><${Time} value=${event.time} /></td>
      <td><span class=${`tag ${BAD.has(event.type) ? "warn" : ""}`}>${TYPES[event.type] || event.type}</span></td>
      <th scope="row">${event.subject && html`<a href=${href(["tables", event.subject])}><${Name} value=${event.subject} /></a>`}</th>
      <td><${Told} data=${event.data} /></td></tr>`)}</tbody></table></${Scroll}>
    ${shown < events.length && html`<p class="more"><button type="button" onClick=${() => setShown(shown + SHOWN)}>Show more</button></p>`}`;
}

// Return the text of a change of a health component's status.
const changed = ({ component, previous, status }) => `${inWords(component)}: ${previous === null ? "" : `${previous} → `}${status}`;

function Told({ data }) {
  const parts = Object.entries(data).filter(([key, value]) => key !== "table" && key !== "namespace" && value !== null);
  return html`<div class="told">${parts.map(([key, value]) => html`<span><span class="dim">${inWords(key)}</span> ${key.endsWith("_at") ? html`<${Time} value=${value} />` : html`<${Name} value=${key === "changes" ? value.map(changed).join(", ") : asText(value)} />`}</span>`)}</div>`;
}
