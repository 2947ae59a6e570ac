// The query of the page as text for other tools.

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const python = (text) => JSON.stringify(text);
const base = () => new URL(".", window.location.href.split("#")[0]).href.replace(/\/$/, "");

export function asCurl(table, body) {
  return `curl -X POST ${shell(`${base()}/api/v1/tables/${encodeURIComponent(table)}/plan`)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${shell(JSON.stringify(body))}`;
}

// Return a table's name with quoted levels where SQL needs it.
const inSql = (table) => (table.match(/`(?:[^`]|``)*`|[^.]+/g) || []).map((level) => (/^(`.*`|[A-Za-z_][A-Za-z0-9_]*)$/s.test(level) ? level : `\`${level.replaceAll("`", "``")}\``)).join(".");

export function asSql(table, filter, ref) {
  const at = ref ? ` VERSION AS OF '${ref.replaceAll("'", "''")}'` : "";
  return `SELECT *\nFROM ${inSql(table)}${at}${filter ? `\nWHERE ${filter}` : ""};`;
}

export function asPython(table, filter, { snapshot, ref }) {
  const at = snapshot ? `snapshot_id=${python(snapshot)}` : ref ? `ref=${python(ref)}` : "";
  const given = [filter ? `where=${python(filter)}` : "", at].filter(Boolean).join(", ");
  return `from lakemuster import Client\n\ntable = Client(${python(base())}).table(${python(table)})\nplan = table.plan(${given})\nplan.paths`;
}
