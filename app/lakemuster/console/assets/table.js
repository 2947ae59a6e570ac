// One table: its figures, and tabs for its history, pruning, columns and details.
import { get, tablePath, useAnswer } from "./api.js";
import { Details } from "./details.js";
import { Bytes, Count, FORMATS, Name, Time, UNKNOWN } from "./format.js";
import { Health } from "./health.js";
import { History } from "./history.js";
import { html, useEffect, useState } from "./html.js";
import { listen } from "./live.js";
import { Partitions } from "./partitions.js";
import { Copy, Empty, Failure, Loading, useTitle } from "./parts.js";
import { href } from "./route.js";
import { Schema } from "./schema.js";
import { Why } from "./why.js";

const TABS = [
  { id: "history", label: "History", view: History },
  { id: "why", label: "Why", view: Why },
  { id: "partitions", label: "Partitions", view: Partitions },
  { id: "health", label: "Health", view: Health },
  { id: "schema", label: "Schema", view: Schema },
  { id: "details", label: "Details", view: Details },
];

export function Table({ name, tab, params }) {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer = 0;
    const end = listen((event) => {
      if ((event.subject !== name && event.data.previous_name !== name && event.type !== "events.lost") || timer) return;
      timer = window.setTimeout(() => { timer = 0; setVersion((last) => last + 1); }, 400);
    });
    return () => { window.clearTimeout(timer); end(); };
  }, [name]);
  const answer = useAnswer(`${name} ${version}`, (signal) => get(tablePath(name), {}, { signal }));
  const shown = TABS.find((one) => one.id === tab) || TABS[0];
  useTitle(`${name} – ${shown.label}`);
  if (answer.error && (answer.data === null || answer.error.status === 404)) {
    return answer.error.status === 404
      ? html`<${Empty} page title="There is no such table"><p>${answer.error.message}</p><p><a href="#/">All tables</a></p></${Empty}>`
      : html`<${Failure} error=${answer.error} retry=${answer.reload} />`;
  }
  if (answer.data === null) return html`<${Loading} what="Loading the table" />`;
  const table = answer.data;
  return html`<article class="table">
    <${Head} table=${table} />
    ${answer.error && html`<${Failure} error=${answer.error} retry=${answer.reload} />`}
    <nav class="tabs" aria-label="Views of the table">${TABS.map((one) => html`<a href=${href(["tables", name, one.id])} aria-current=${one === shown ? "page" : undefined}>${one.label}</a>`)}</nav>
    <${shown.view} table=${table} version=${version} params=${params} />
  </article>`;
}

const Figure = ({ label, children }) => html`<div><dt>${label}</dt><dd>${children}</dd></div>`;

function Head({ table }) {
  return html`<header class="head">
    <p class="crumbs"><a href="#/">Tables</a></p>
    <div class="title"><h1><${Name} value=${table.name} /></h1>
      <span class="tag">${FORMATS[table.format] || table.format}${table.format_version === null ? "" : ` ${table.format_version}`}</span>
      ${table.catalog && html`<span class="tag" title="Attached catalog"><${Name} value=${table.catalog} /></span>`}
      ${table.stale && html`<span class="tag warn">${table.current_snapshot_id === null ? "unreadable" : "stale"}</span>`}</div>
    <p class="location"><code><${Name} value=${table.location} /></code><${Copy} text=${table.location} /></p>
    ${table.stale && html`<p class="notice" role="alert"><strong>${table.current_snapshot_id === null ? "Nothing of it can be read." : "Not the newest state."}</strong> <${Name} value=${table.stale} /></p>`}
    <dl class="figures">
      <${Figure} label="Records"><${Count} value=${table.total_records} /></${Figure}>
      <${Figure} label="Data files"><${Count} value=${table.data_files} /></${Figure}>
      <${Figure} label="Size"><${Bytes} value=${table.total_bytes} /></${Figure}>
      <${Figure} label="Delete files"><${Count} value=${table.delete_files} /></${Figure}>
      <${Figure} label="Snapshots"><${Count} value=${table.snapshots} /></${Figure}>
      <${Figure} label="Partitioned by">${table.partition_keys.length ? html`<${Name} value=${table.partition_keys.join(", ")} />` : html`<span class="dim">${table.current_schema_id === null ? UNKNOWN : "nothing"}</span>`}</${Figure}>
      <${Figure} label="Last commit"><${Time} value=${table.last_committed_at} /></${Figure}>
    </dl>
  </header>`;
}
