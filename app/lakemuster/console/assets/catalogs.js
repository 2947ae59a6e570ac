// Attached catalogs: whether they answer, their registered tables, and the time of their last listing.
import { get, post, useAnswer } from "./api.js";
import { Count, Name, Time, millisOf, plural } from "./format.js";
import { html, useState } from "./html.js";
import { Empty, Loaded, Scroll, useTitle } from "./parts.js";
import { href } from "./route.js";

const TYPES = { rest: "Iceberg REST", hive: "Hive Metastore", glue: "AWS Glue", sql: "SQL", paimon: "Paimon" };
const RIGHTS = { forward: "the caller's there", service: "a role here" };
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

function lag(value, now = Date.now()) {
  const seconds = Math.round((millisOf(value) - now) / 1000);
  if (seconds > -90) return ago.format(Math.min(0, seconds), "second");
  if (seconds > -5400) return ago.format(Math.round(seconds / 60), "minute");
  if (seconds > -129600) return ago.format(Math.round(seconds / 3600), "hour");
  return ago.format(Math.round(seconds / 86400), "day");
}

export function Catalogs() {
  useTitle("Catalogs");
  const answer = useAnswer("catalogs", (signal) => get("catalogs", {}, { signal }));
  return html`<div class="page-head"><h1>Catalogs</h1></div>
    <${Loaded} answer=${answer} what="Loading catalogs">${({ catalogs }) => (catalogs.length === 0
      ? html`<${Empty} title="No catalog is attached"><p>The setting <code>CATALOGS</code> attaches Iceberg REST catalogs, Hive, Glue, SQL and Paimon catalogs.</p></${Empty}>`
      : html`<${Scroll}><table class="grid roomy catalogs"><thead><tr><th scope="col">Catalog</th><th scope="col">Type</th><th scope="col">State</th><th scope="col" class="end">Tables</th><th scope="col">Listed</th><th scope="col">Whose rights decide</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
        <tbody>${catalogs.map((catalog) => html`<${Row} key=${catalog.name} catalog=${catalog} reload=${answer.reload} />`)}</tbody></table></${Scroll}>`)}</${Loaded}>`;
}

function Row({ catalog, reload }) {
  const [said, setSaid] = useState(null);
  const [busy, setBusy] = useState(false);
  const sync = async () => {
    setBusy(true);
    try {
      const done = await post(`catalogs/${encodeURIComponent(catalog.name)}/sync`);
      setSaid({ text: `${plural(done.tables, "table")}: ${done.added} new, ${done.removed} gone` });
    } catch (problem) {
      setSaid({ text: problem.message, bad: true });
    }
    setBusy(false);
    reload();
  };
  return html`<tr><th scope="row"><a href=${href([], { q: `${catalog.name}.` })}><${Name} value=${catalog.name} /></a></th>
    <td>${TYPES[catalog.type] || catalog.type}</td>
    <td><span class=${`state-dot ${catalog.reachable ? "" : "bad"}`}>${catalog.reachable ? "reachable" : "not reachable"}</span>${catalog.error && html`<div class="removed"><${Name} value=${catalog.error} /></div>`}</td>
    <td class="end"><${Count} value=${catalog.tables} /></td>
    <td>${catalog.synced_at ? html`<${Time} value=${catalog.synced_at} /> <span class="dim">${lag(catalog.synced_at)}</span>` : html`<span class="dim">not yet</span>`}</td>
    <td>${RIGHTS[catalog.auth] || catalog.auth}</td>
    <td class="end"><button type="button" onClick=${sync} disabled=${busy} aria-label=${`List now: ${catalog.name}`}>List now</button>${said && html`<div role="status" class=${said.bad ? "removed" : "dim"}>${said.text}</div>`}</td></tr>`;
}
