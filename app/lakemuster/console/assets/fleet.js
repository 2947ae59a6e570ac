// All tables: stale ones first, then the others, loaded page by page on scrolling.
import { get, rows as rowsOf } from "./api.js";
import { Bytes, Count, FORMATS, Name, Time, count, inWords, plural } from "./format.js";
import { Components, TableHealth, useFleetHealth } from "./fleet_health.js";
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./html.js";
import { listen } from "./live.js";
import { Empty, Failure, Loading, SortHeading, useSettled, useTitle } from "./parts.js";
import { change, href } from "./route.js";
import { Sparkline } from "./sparkline.js";

const FIELDS = "name,catalog,format,stale,warnings,current_snapshot_id,total_records,data_files,total_bytes,delete_files,snapshots,health,last_committed_at";
const PAGE = 200;
const MOST_AGAIN = 10_000;
const ROW = 36;
const MARGIN = 12;
const COLUMNS = [
  { field: "name", label: "Table", first: "" },
  { field: null, label: "Format" },
  { field: "total_records", label: "Records", end: true },
  { field: "data_files", label: "Files", end: true },
  { field: "total_bytes", label: "Size", end: true },
  { field: "delete_files", label: "Deletes", end: true, title: "Delete files" },
  { field: "snapshots", label: "Snapshots", end: true },
  { field: "health", label: "Health", title: "The worst component, and what else is as bad" },
  { field: "last_committed_at", label: "Last commit" },
  { field: null, label: "Activity", title: "Commits by day (bars) and size (line)" },
];

export function Fleet({ params }) {
  useTitle("Tables");
  const [typed, setTyped] = useState(params.q || "");
  const settled = useSettled(typed, 120);
  useEffect(() => change({ q: settled }, { replace: true }), [settled]);
  useEffect(() => { if ((params.q || "") !== settled) setTyped(params.q || ""); }, [params.q]);
  const [version, setVersion] = useState(0);
  const health = useFleetHealth(params, version);
  const [changed, setChanged] = useState(() => new Map());
  useEffect(() => {
    let timer = 0;
    const end = listen((event) => {
      if (event.subject) setChanged((last) => new Map(last).set(event.subject, (last.get(event.subject) || 0) + 1));
      // Combine events in quick succession into one reload.
      if (!timer) timer = window.setTimeout(() => { timer = 0; setVersion((last) => last + 1); }, 400);
    });
    return () => { window.clearTimeout(timer); end(); };
  }, []);
  return html`<div class="fleet">
    <${Namespaces} chosen=${params.namespace} version=${version} />
    <section class="list" aria-label="Tables">
      <div class="tools">
        <h1 class="hidden">Tables</h1>
        <input type="search" id="search" placeholder="Search tables" aria-label="Search tables" aria-keyshortcuts="/" value=${typed}
          onInput=${(event) => setTyped(event.target.value)} />
        <select aria-label="Format" value=${params.format || ""} onChange=${(event) => change({ format: event.target.value })}>
          <option value="">All formats</option><option value="iceberg">Iceberg</option><option value="paimon">Paimon</option>
        </select>
      </div>
      <${Components} found=${health} params=${params} />
      <${Tables} params=${params} version=${version} changed=${changed} health=${health} />
    </section>
  </div>`;
}

function Namespaces({ chosen, version }) {
  const [found, setFound] = useState(null);
  useEffect(() => {
    const cancel = new AbortController();
    get("namespaces", { page_size: 1000 }, { signal: cancel.signal }).then(setFound, () => undefined);
    return () => cancel.abort();
  }, [version]);
  if (!found || found.total_count < 2) return null;
  const link = (name, label, tables) => html`<li><a href=${href([], { ...current(), namespace: name })} aria-current=${(chosen ?? null) === (name ?? null) ? "true" : undefined}>
    ${label}${tables !== null && html`<span class="number">${count(tables)}</span>`}</a></li>`;
  const all = found.next_page_token ? null : found.namespaces.reduce((sum, one) => sum + one.tables, 0);
  return html`<nav class="rail" aria-label="Namespaces"><h2>Namespaces</h2><ul>
    ${link(undefined, "All", all)}
    ${found.namespaces.map((one) => link(one.name, html`<${Name} value=${one.name || "(none)"} />`, one.tables))}
  </ul>${found.next_page_token && html`<p class="dim">The first ${count(found.namespaces.length)} of ${count(found.total_count)}: search by name.</p>`}</nav>`;
}

function current() {
  const params = Object.fromEntries(new URLSearchParams(window.location.hash.split("?")[1] || ""));
  delete params.namespace;
  return params;
}

// Load two lists in the same order: stale tables, and the others page by page.
function useTables(params, version) {
  const { q, format, namespace, sort, component } = params;
  const key = JSON.stringify([q, format, namespace, sort, component]);
  const [state, setState] = useState({ key: null, troubled: [], ailing: 0, rows: [], token: null, total: null, error: null });
  const busy = useRef(false);
  const loaded = useRef({ key: null, rows: 0 });
  const [turns, setTurns] = useState(0);
  loaded.current = { key: state.key, rows: state.rows.length };
  const asked = { search: q || undefined, format, namespace, component, sort: sort || "name", fields: FIELDS };
  const load = useCallback(async (signal) => {
    // Reload as many rows as are shown, so that the page does not jump.
    const before = loaded.current.key === key ? loaded.current.rows : 0;
    const size = Math.min(MOST_AGAIN, Math.max(PAGE, before));
    try {
      const [troubled, others] = await Promise.all([
        rowsOf("tables", "tables", { ...asked, stale: true }, { most: MOST_AGAIN, signal }),
        get("tables", { ...asked, stale: false, page_size: size }, { signal }),
      ]);
      const ailing = troubled.answer.total_count;
      setState({ key, troubled: troubled.rows, ailing, total: ailing + others.total_count, rows: others.tables, token: others.next_page_token, error: null });
    } catch (error) {
      if (error.name !== "AbortError") setState((last) => ({ ...last, key, error }));
    }
  }, [key]);
  useEffect(() => {
    const cancel = new AbortController();
    load(cancel.signal);
    return () => cancel.abort();
  }, [key, version]);
  const more = async () => {
    if (busy.current || !state.token || state.key !== key) return;
    busy.current = true;
    try {
      const next = await get("tables", { ...asked, stale: false, page_size: PAGE, page_token: state.token });
      setState((last) => (last.token === state.token ? { ...last, rows: [...last.rows, ...next.tables], token: next.next_page_token } : last));
    } catch (error) {
      setState((last) => ({ ...last, error }));
    } finally {
      busy.current = false;
      setTurns((last) => last + 1);
    }
  };
  return { ...state, loading: state.key !== key, more, turns, retry: () => load() };
}

function Tables({ params, version, changed, health }) {
  const { troubled, ailing, rows, token, total, error, loading, more, turns, retry, key } = useTables(params, version);
  const all = useMemo(() => [...troubled, ...rows], [troubled, rows]);
  const body = useRef(null);
  const view = useWindow(body, all.length);
  useEffect(() => { if (token && !error && view.end >= all.length - MARGIN) more(); }, [view.end, all.length, token, loading, turns]);
  const sort = params.sort || "name";
  if (error && key === null) return html`<${Failure} error=${error} retry=${retry} />`;
  if (key === null) return html`<${Loading} what="Loading tables" />`;
  const isFiltered = Boolean(params.q || params.format || params.namespace || params.component);
  const columns = params.component ? COLUMNS.map((one) => (one.field === "health" ? { ...one, label: inWords(params.component), title: "The status of this component of health" } : one)) : COLUMNS;
  return html`${error && html`<${Failure} error=${error} retry=${retry} />`}
    <p class="summary" role="status">${plural(total, "table")}${ailing > 0 && html`, <strong class="warn">${plural(ailing, "needs", "need")} attention</strong>`}</p>
    ${total === 0 && (isFiltered
      ? html`<${Empty} title="No table matches"><p><a href="#/">Show all tables</a></p></${Empty}>`
      : html`<${Empty} title="No tables yet"><p>Register one with <code>lakemuster add NAME LOCATION</code>, or all below a folder with <code>lakemuster discover URL</code>.</p></${Empty}>`)}
    ${total > 0 && html`<div class="scroll" aria-busy=${loading ? "true" : "false"}><table class="grid tables" aria-rowcount=${total + 1} onKeyDown=${byArrows}>
      <thead><tr>${columns.map((column) => column.field
        ? html`<${SortHeading} ...${column} sort=${sort} />`
        : html`<th scope="col" title=${column.title}>${column.label}</th>`)}</tr></thead>
      <tbody ref=${body}>
        ${view.start > 0 && html`<tr class="space" aria-hidden="true"><td colspan=${COLUMNS.length} style=${{ height: `${view.start * ROW}px` }}></td></tr>`}
        ${all.slice(view.start, view.end).map((table, place) => html`<${Row} key=${table.name} table=${table} number=${view.start + place + 2} changes=${changed.get(table.name) || 0} health=${health} component=${params.component} />`)}
        ${view.end < all.length && html`<tr class="space" aria-hidden="true"><td colspan=${COLUMNS.length} style=${{ height: `${(all.length - view.end) * ROW}px` }}></td></tr>`}
      </tbody></table></div>`}`;
}

// Return the range of the visible rows, with a margin.
function useWindow(body, length) {
  const [view, setView] = useState({ start: 0, end: Math.min(length, 60) });
  const look = useCallback(() => {
    if (!body.current) return;
    const top = -body.current.getBoundingClientRect().top;
    const start = Math.max(0, Math.floor(top / ROW) - MARGIN);
    const end = Math.min(length, Math.ceil((top + window.innerHeight) / ROW) + MARGIN);
    setView((last) => (last.start === start && last.end === end ? last : { start, end }));
  }, [length]);
  useLayoutEffect(look, [look]);
  useEffect(() => {
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => { window.removeEventListener("scroll", look); window.removeEventListener("resize", look); };
  }, [look]);
  return { start: Math.min(view.start, length), end: Math.min(view.end, length) };
}

function byArrows(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.matches("a.row")) return;
  const links = [...event.currentTarget.querySelectorAll("a.row")];
  const next = links[links.indexOf(event.target) + step];
  if (next) {
    event.preventDefault();
    next.focus();
  }
}

function Row({ table, number, changes, health, component }) {
  const cut = table.name.lastIndexOf(".");
  const isQuoted = table.name.includes("`");
  const [before, own] = cut < 0 || isQuoted ? ["", table.name] : [table.name.slice(0, cut + 1), table.name.slice(cut + 1)];
  return html`<tr aria-rowindex=${number} class=${table.stale ? "troubled" : ""} key=${`${table.name} ${changes}`} data-changed=${changes ? "true" : undefined}>
    <th scope="row"><a class="row" href=${href(["tables", table.name])} title=${table.name}><bdi class="name"><span class="dim">${before}</span>${own}</bdi></a>
      ${table.stale && html`<span class="tag warn" title=${table.stale}>${table.current_snapshot_id === null ? "unreadable" : "stale"}</span>`}
      ${table.stale && html`<span class="why" title=${table.stale}>${table.stale}</span>`}</th>
    <td>${FORMATS[table.format] || table.format}</td>
    <td class="end"><${Count} value=${table.total_records} /></td>
    <td class="end"><${Count} value=${table.data_files} /></td>
    <td class="end"><${Bytes} value=${table.total_bytes} /></td>
    <td class="end"><${Count} value=${table.delete_files} /></td>
    <td class="end"><${Count} value=${table.snapshots} /></td>
    <td><${TableHealth} table=${table} found=${health} component=${component} /></td>
    <td><${Time} value=${table.last_committed_at} /></td>
    <td><${Sparkline} table=${table.name} snapshots=${table.snapshots} changes=${changes} /></td>
  </tr>`;
}
