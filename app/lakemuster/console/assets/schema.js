// A table's current columns, and the changes of each schema version; fields are identified by their ids.
import { get, rows, tablePath, useAnswer } from "./api.js";
import { Count, Name, Time, asText, count } from "./format.js";
import { html, useMemo } from "./html.js";
import { Empty, Loaded, Sheet } from "./parts.js";

async function load(name, format, signal) {
  const [schemas, columns, snapshots] = await Promise.all([
    rows(tablePath(name, "/schemas"), "schemas", {}, { signal }),
    rows(tablePath(name, "/columns"), "columns", {}, { signal }).catch((error) => {
      if (error.name === "AbortError") throw error;
      return { rows: [] };
    }),
    format === "iceberg" ? rows(tablePath(name, "/snapshots"), "snapshots", { fields: "schema_id,committed_at", order: "asc" }, { signal }) : { rows: [] },
  ]);
  const used = new Map();
  for (const snapshot of snapshots.rows) if (!used.has(snapshot.schema_id)) used.set(snapshot.schema_id, snapshot.committed_at);
  return { schemas: schemas.rows, columns: new Map(columns.rows.map((column) => [column.column, column])), used };
}

// Return all fields of a schema with their paths, nested fields after their parents.
export function fieldsOf(schema) {
  const found = [];
  const inside = (type, path, depth) => {
    if (typeof type !== "object" || type === null) return;
    for (const field of type.fields || []) add(field, path, depth);
    for (const part of ["element", "key", "value"]) if (type[part] !== undefined) inside(type[part], path === "" ? part : `${path}.${part}`, depth);
  };
  const add = (field, path, depth) => {
    const name = path ? `${path}.${field.name}` : field.name;
    found.push({ id: field.id, name, own: field.name, depth, type: typeText(field.type), required: Boolean(field.required), doc: field.doc ?? field.description ?? null });
    inside(field.type, name, depth + 1);
  };
  for (const field of schema.fields) add(field, "", 0);
  return found;
}

function typeText(type) {
  if (typeof type === "string") return type;
  if (typeof type !== "object" || type === null) return asText(type);
  const parts = ["element", "key", "value"].filter((part) => type[part] !== undefined).map((part) => typeText(type[part]));
  return parts.length ? `${type.type}<${parts.join(", ")}>` : type.type;
}

// Return the changes from one schema to the next.
export function changesOf(before, after) {
  const old = new Map(fieldsOf(before).map((field) => [field.id, field]));
  const now = fieldsOf(after);
  const left = new Set(now.map((field) => field.id));
  const found = [];
  for (const field of now) {
    const was = old.get(field.id);
    if (was === undefined) found.push({ kind: "added", name: field.name, text: field.type });
    else {
      if (was.own !== field.own) found.push({ kind: "renamed", name: field.name, text: `was ${was.name}` });
      if (was.type !== field.type) found.push({ kind: "widened", name: field.name, text: `${was.type} → ${field.type}` });
      if (was.required !== field.required) found.push({ kind: field.required ? "required" : "optional", name: field.name, text: "" });
      if (was.doc !== field.doc) found.push({ kind: "described", name: field.name, text: field.doc ?? "" });
    }
  }
  for (const [id, field] of old) if (!left.has(id)) found.push({ kind: "dropped", name: field.name, text: field.type });
  return found;
}

export function Schema({ table, version }) {
  const answer = useAnswer(`${table.name} ${version}`, (signal) => load(table.name, table.format, signal));
  return html`<${Loaded} answer=${answer} what="Loading schemas">${(data) => html`<${Both} data=${data} table=${table} />`}</${Loaded}>`;
}

function Both({ data, table }) {
  const own = useMemo(() => data.schemas.filter((schema) => schema.branch === "main").sort((one, other) => one.schema_id - other.schema_id), [data]);
  const current = own.find((schema) => schema.current) || own[own.length - 1];
  if (!current) return html`<${Empty} title="No schema is known yet" />`;
  const keys = new Set(table.primary_keys);
  return html`<div class="halves wide-first"><${Sheet} id="columns" title="Columns" aside=${html`<p class="dim">Schema ${current.schema_id}</p>`}>
      <table class="grid roomy schema"><thead><tr><th scope="col" class="end">Id</th><th scope="col">Column</th><th scope="col">Type</th><th scope="col" class="end">Nulls</th><th scope="col">Least</th><th scope="col">Greatest</th></tr></thead>
      <tbody>${fieldsOf(current).map((field) => {
        const known = data.columns.get(field.name);
        return html`<tr key=${field.id}><td class="end dim">${field.id}</td>
          <th scope="row" class=${`depth-${Math.min(field.depth, 6)}`}><${Name} value=${field.own} />${keys.has(field.name) ? html` <span class="tag accent">key</span>` : ""}${field.required ? html` <span class="tag">required</span>` : ""}${field.doc && html`<div class="dim"><${Name} value=${field.doc} /></div>`}</th>
          <td><code><${Name} value=${field.type} /></code></td>
          <td class="end"><${Nulls} column=${known} /></td>
          <td><${Bound} column=${known} side="lower_bound" /></td><td><${Bound} column=${known} side="upper_bound" /></td></tr>`;
      })}</tbody></table></${Sheet}>
    <${Sheet} id="versions" title="History"><ol class="versions">${[...own].reverse().map((schema) => {
      const place = own.indexOf(schema);
      const found = place > 0 ? changesOf(own[place - 1], schema) : [];
      const at = schema.created_at || data.used.get(schema.schema_id);
      return html`<li key=${schema.schema_id}><h3>Schema ${schema.schema_id}${schema.current ? html` <span class="tag accent">current</span>` : ""} ${at && html`<span class="when" title=${schema.created_at ? "created" : "first used by a snapshot"}><${Time} value=${at} /></span>`}</h3>
        ${place === 0 ? html`<p class="dim">${count(fieldsOf(schema).length)} columns at first</p>` : found.length === 0 ? html`<p class="dim">No column changed.</p>` : html`<ul>${found.map((one) => html`<li><span class=${`kind ${one.kind}`}>${one.kind}</span> <strong><${Name} value=${one.name} /></strong> <span class="dim"><${Name} value=${one.text} /></span></li>`)}</ul>`}</li>`;
    })}</ol></${Sheet}></div>`;
}

const Nulls = ({ column }) =>
  column && column.null_count_files < column.files
    ? html`<span title=${`recorded in ${count(column.null_count_files)} of ${count(column.files)} files`}><${Count} value=${column.null_count} /><span class="dim"> ?</span></span>`
    : html`<${Count} value=${column && column.null_count} />`;

const Bound = ({ column, side }) =>
  column && column[side] !== null && column[side] !== undefined
    ? html`<span class="bound" title=${column.bounds_hold ? asText(column[side]) : `${asText(column[side])}; of the files that record it`}><${Name} value=${asText(column[side])} />${column.bounds_hold ? "" : html`<span class="dim"> ?</span>`}</span>`
    : html`<span class="dim">–</span>`;
