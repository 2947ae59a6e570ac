// Details of a table: refs, partition specs, properties, settings.
import { rows, tablePath, useAnswer } from "./api.js";
import { Name, Time, asText } from "./format.js";
import { html } from "./html.js";
import { Loaded, Sheet } from "./parts.js";

async function load(name, signal) {
  const [refs, specs] = await Promise.all([
    rows(tablePath(name, "/refs"), "refs", {}, { signal }),
    rows(tablePath(name, "/specs"), "specs", {}, { signal }),
  ]);
  return { refs: refs.rows, specs: specs.rows };
}

const Pairs = ({ pairs }) => html`<dl class="pairs">${pairs.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([key, value]) => html`<div><dt><${Name} value=${key} /></dt><dd>${value}</dd></div>`)}</dl>`;
const code = (value) => (value === null ? null : html`<code><${Name} value=${asText(value)} /></code>`);

export function Details({ table, version }) {
  const answer = useAnswer(`${table.name} ${version}`, (signal) => load(table.name, signal));
  const properties = Object.entries(table.properties).sort(([one], [other]) => one.localeCompare(other));
  return html`<div class="halves"><div>
    <${Sheet} id="identity" title="Identity"><${Pairs} pairs=${[
      ["Metadata", code(table.metadata_location)],
      ["UUID", code(table.uuid)],
      ["Current snapshot", code(table.current_snapshot_id)],
      ["Primary key", table.primary_keys.length ? html`<${Name} value=${table.primary_keys.join(", ")} />` : null],
      ["Last change", html`<${Time} value=${table.last_updated_at} />`],
      ["Looked at", html`<${Time} value=${table.checked_at} />`],
      ...table.rewrite.map((rule) => ["Rewrite", html`<code><${Name} value=${`${rule.old} → ${rule.new}`} /></code>`]),
    ]} />${table.warnings.map((warning) => html`<p class="dim note"><${Name} value=${warning} /></p>`)}</${Sheet}>
    <${Sheet} id="properties" title="Properties">${properties.length ? html`<${Pairs} pairs=${properties.map(([key, value]) => [key, code(value)])} />` : html`<p class="dim">None are set.</p>`}</${Sheet}>
    </div><div>
    <${Loaded} answer=${answer} what="Loading refs">${(data) => html`
      <${Sheet} id="refs" title="Branches and tags">${data.refs.length === 0 ? html`<p class="dim">None.</p>` : html`<table class="grid plain"><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Snapshot</th></tr></thead>
        <tbody>${data.refs.map((ref) => html`<tr key=${`${ref.type} ${ref.name}`}><th scope="row"><${Name} value=${ref.name} /></th><td>${ref.type}</td><td><code>${ref.snapshot_id ?? ""}</code></td></tr>`)}</tbody></table>`}</${Sheet}>
      <${Sheet} id="specs" title="Partition specs">${data.specs.length === 0 ? html`<p class="dim">Not partitioned.</p>` : html`<table class="grid plain"><thead><tr><th scope="col">Spec</th><th scope="col">Fields</th></tr></thead>
        <tbody>${data.specs.map((spec) => html`<tr key=${spec.spec_id}><th scope="row">${spec.spec_id}${spec.default ? html` <span class="tag accent">default</span>` : ""}</th><td>${spec.fields.length ? spec.fields.map((field) => html`<div><${Name} value=${field.name} /> <span class="dim">${field.transform} ${field.type ? `→ ${asText(field.type)}` : ""}</span></div>`) : html`<span class="dim">unpartitioned</span>`}</td></tr>`)}</tbody></table>`}</${Sheet}>`}</${Loaded}>
    <${Sheet} id="settings" title="Settings here"><${Pairs} pairs=${Object.entries(table.settings).filter(([key]) => key !== "health").map(([key, value]) => [key, code(value)])} /></${Sheet}>
  </div></div>`;
}
