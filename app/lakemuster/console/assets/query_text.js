// The query of the page as text for other tools.

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const python = (text) => JSON.stringify(text);
const base = () => new URL(".", window.location.href.split("#")[0]).href.replace(/\/$/, "");

export function asCurl(table, body) {
  return `curl -X POST ${shell(`${base()}/api/v1/tables/${encodeURIComponent(table)}/plan`)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${shell(JSON.stringify(body))}`;
}

export function asSql(table, filter, ref) {
  const at = ref ? ` VERSION AS OF '${ref.replaceAll("'", "''")}'` : "";
  return `SELECT *\nFROM ${table}${at}${filter ? `\nWHERE ${filter}` : ""};`;
}

export function asPython(table, filter, ref) {
  const given = [filter ? `where=${python(filter)}` : "", ref ? `ref=${python(ref)}` : ""].filter(Boolean).join(", ");
  return `from lakemuster import Client\n\ntable = Client(${python(base())}).table(${python(table)})\nplan = table.plan(${given})\nplan.paths`;
}
