// The console: the frame of all views, sign-in, the colour scheme.
import { onRefusal, session, signOut } from "./api.js";
import { Events } from "./events.js";
import { Catalogs } from "./catalogs.js";
import { Fleet } from "./fleet.js";
import { Component, html, render, useEffect, useLayoutEffect, useState } from "./html.js";
import { listen, watch } from "./live.js";
import { Empty, Failure, Loading } from "./parts.js";
import { useRoute } from "./route.js";
import { SignIn } from "./sign_in.js";
import { Table } from "./table.js";

const SCHEMES = ["auto", "light", "dark"];
const SIGNS = { auto: "◐", light: "○", dark: "●" };
const LINKS = [
  { label: "Tables", to: "#/", first: ["", "tables"] },
  { label: "Catalogs", to: "#/catalogs", first: ["catalogs"] },
  { label: "Events", to: "#/events", first: ["events"] },
];

function chosenScheme() {
  try {
    const chosen = window.localStorage.getItem("scheme");
    return SCHEMES.includes(chosen) ? chosen : "auto";
  } catch {
    return "auto";
  }
}

function Scheme() {
  const [scheme, setScheme] = useState(chosenScheme);
  useLayoutEffect(() => {
    document.documentElement.dataset.scheme = scheme;
    try {
      window.localStorage.setItem("scheme", scheme);
    } catch {
      // Without storage, the choice lasts until the page is closed.
    }
  }, [scheme]);
  const next = SCHEMES[(SCHEMES.indexOf(scheme) + 1) % SCHEMES.length];
  return html`<button type="button" class="quiet icon" onClick=${() => setScheme(next)}
    aria-label=${`Colour scheme: ${scheme}. Change to ${next}.`} title=${`Colour scheme: ${scheme}`}>${SIGNS[scheme]}</button>`;
}

function Connection() {
  const [state, setState] = useState("connecting");
  useEffect(() => {
    const ends = [watch(setState), listen(() => undefined)];
    return () => ends.forEach((end) => end());
  }, []);
  const words = { connecting: "Connecting", live: "Live", lost: "Not live: reconnecting" };
  return html`<span class=${`connection ${state}`} role="status" title="Changes of tables are shown as they happen">${words[state]}</span>`;
}

// Shows why a view failed, until the address changes: an exception in one view must not end the others.
class Guard extends Component {
  static getDerivedStateFromProps({ of }, state) {
    return state.of === of ? null : { of, error: null };
  }

  componentDidCatch(error) {
    window.reportError(error);
    this.setState({ error });
  }

  render({ children }, { error }) {
    return error ? html`<${Failure} lead="This view cannot be shown" error=${error} retry=${() => this.setState({ error: null })} />` : children;
  }
}

function View({ route }) {
  const [first = "", ...rest] = route.parts;
  // The caller has signed in since the failed sign-in that this address reports.
  if (first === "sign-in") return html`<${Fleet} params=${{}} />`;
  if (first === "") return html`<${Fleet} params=${route.params} />`;
  if (first === "tables" && rest.length) return html`<${Table} key=${rest[0]} name=${rest[0]} tab=${rest[1]} params=${route.params} />`;
  if (first === "catalogs") return html`<${Catalogs} />`;
  if (first === "events") return html`<${Events} params=${route.params} />`;
  return html`<${Empty} page title="There is no such page"><p><a href="#/">All tables</a></p></${Empty}>`;
}

function Frame({ caller, canLeave, leave, first, live, view }) {
  return html`<a class="skip" href="#content" onClick=${(event) => {
    event.preventDefault();
    document.getElementById("content").focus();
  }}>Skip to the content</a>
  <header class="top">
    <a class="brand" href="#/"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M7 12h10M10 17h4" /></svg>Lakemuster</a>
    <nav aria-label="Views">${LINKS.map((link) => html`<a href=${link.to} aria-current=${link.first.includes(first) ? "page" : undefined}>${link.label}</a>`)}</nav>
    <div class="aside">
      ${live && html`<${Connection} />`}
      ${caller && html`<span class="caller" title="Signed in as">${caller}</span>`}
      ${canLeave && html`<button type="button" class="quiet" onClick=${leave}>Sign out</button>`}
      <a href="docs" class="quiet">API</a>
      <${Scheme} />
    </div>
  </header>
  <main id="content" tabindex="-1">${view}</main>`;
}

function Console() {
  const route = useRoute();
  const [who, setWho] = useState(null);
  const [error, setError] = useState(null);
  const look = () => session().then((found) => { setWho(found); setError(null); }, setError);
  useEffect(() => { look(); }, []);
  useEffect(() => onRefusal((found) => setWho((last) => found ?? { methods: ["token"], ...last, is_open: false, caller: null })), []);
  const [leaving, setLeaving] = useState(false);
  const leave = () => setLeaving(true);
  // In an effect, after the view has ended its requests: without the session they would be refused.
  useEffect(() => {
    if (leaving) signOut().then(look, setError).finally(() => setLeaving(false));
  }, [leaving]);
  const isIn = who !== null && !leaving && (who.is_open || who.caller !== null);
  let view = html`<${Loading} what="Connecting" />`;
  if (leaving) view = html`<${Loading} what="Signing out" />`;
  else if (error !== null) view = who === null
    ? html`<${Failure} error=${error} retry=${look} />`
    : html`<${Failure} lead="The sign-out failed" error=${error} retry=${leave} />`;
  else if (isIn) view = html`<${Guard} of=${JSON.stringify(route)}><${View} route=${route} /></${Guard}>`;
  else if (who !== null) view = html`<${SignIn} methods=${who.methods} failure=${route.parts[0] === "sign-in" ? route.params.error : null} done=${setWho} />`;
  const canLeave = isIn && !who.is_open;
  return html`<${Frame} first=${route.parts[0] ?? ""} caller=${who && who.caller} canLeave=${canLeave} leave=${leave} live=${isIn} view=${view} />`;
}

// "/" focuses the search or the filter of the view.
window.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const place = document.querySelector("[aria-keyshortcuts='/']");
  if (place) {
    event.preventDefault();
    place.focus();
  }
});

render(html`<${Console} />`, document.getElementById("console"));
