// The health of all tables by component: the numbers of unhealthy tables, and a filter by component.
import { get } from "./api.js";
import { count, inWords, plural } from "./format.js";
import { html, useEffect, useState } from "./html.js";
import { Status } from "./parts.js";
import { href } from "./route.js";

const MOST = 10_000;
const STATUSES = ["critical", "warning", "unknown"];
const AILING = ["critical", "warning"];

// Return the health of the tables of a search: counts by component, and the components that are not `ok` by table.
export function useFleetHealth({ q, namespace }, version) {
  const [found, setFound] = useState({ components: [], by: new Map(), complete: true });
  useEffect(() => {
    const cancel = new AbortController();
    const asked = { search: q || undefined, namespace, status: STATUSES.join(","), page_size: MOST, fields: `name,${STATUSES.join(",")}` };
    get("health", asked, { signal: cancel.signal }).then(
      (page) => setFound({ components: page.components, by: new Map(page.health.map((one) => [one.name, one])), complete: page.next_page_token === null }),
      () => undefined,
    );
    return () => cancel.abort();
  }, [q, namespace, version]);
  return found;
}

// A filter by the components with warnings; a second click shows all tables again.
export function Components({ found, params }) {
  const shown = found.components.filter((one) => AILING.some((status) => one[status] > 0) || one.component === params.component);
  if (!shown.length) return null;
  const { component: chosen, sort, ...others } = params;
  const rest = { ...others, sort: sort === "-health" || sort === "health" ? undefined : sort };
  return html`<div class="components" role="group" aria-label="Health by component"><span class="dim">Health</span>${shown.map((one) => {
    const isChosen = one.component === chosen;
    const told = AILING.filter((status) => one[status] > 0).map((status) => `${count(one[status])} ${status}`).join(", ") || "ok";
    return html`<a key=${one.component} class="chip" href=${href([], isChosen ? rest : { ...params, component: one.component, sort: "-health" })} aria-current=${isChosen ? "true" : undefined}
      title=${`${inWords(one.component)}: ${told}, of ${plural(one.ok + one.unknown + one.warning + one.critical, "table")}`}>${inWords(one.component)}${AILING.filter((status) => one[status] > 0).map((status) => html` <span class=${`tally ${status}`}>${count(one[status])}<span class="hidden"> ${status}</span></span>`)}</a>`;
  })}</div>`;
}

// The worst status of a table and its components with that status; with a chosen component, that component's status.
export function TableHealth({ table, found, component }) {
  const own = found.by.get(table.name);
  if (component) {
    const status = STATUSES.find((one) => own && own[one].includes(component)) || (own || table.health === "ok" || found.complete ? "ok" : null);
    return html`<${Status} value=${status} />`;
  }
  const ailing = own && own[table.health] ? own[table.health].map(inWords) : [];
  const all = own ? STATUSES.flatMap((status) => own[status].map((name) => `${inWords(name)}: ${status}`)) : [];
  return html`<span title=${all.join(", ") || undefined}><${Status} value=${table.health} />${ailing.length > 0 && html` <span class="ailing dim">${ailing.join(", ")}</span>`}</span>`;
}
