// The health of a table: each component with its thresholds, the start of its status, and the command that improves it.
import { get, tablePath, useAnswer } from "./api.js";
import { Time, bytes, count, inWords } from "./format.js";
import { html } from "./html.js";
import { Copy, Loaded, Scroll, Sheet, Status } from "./parts.js";
import { rectangle } from "./shapes.js";

const DAYS = 60;
const GAINS = { files: "files", bytes: "bytes", merges: "merges of a read", manifests: "manifests", snapshots: "snapshots" };

export function Health({ table, version }) {
  const answer = useAnswer(`${table.name} ${version}`, (signal) =>
    get(tablePath(table.name, "/health"), { history: DAYS }, { signal }));
  return html`<${Loaded} answer=${answer} what="Loading the health">${(data) => html`<${Components} health=${data} />`}</${Loaded}>`;
}

function Components({ health }) {
  const { components, history } = health;
  const mended = components.filter((one) => one.remedy !== null && one.status !== "ok");
  return html`
    <p class="summary" role="status">${health.health === null
      ? "Not computed yet: a background job does it."
      : html`Worst component: <${Status} value=${health.health} />${health.is_due ? html` <span class="dim">The table has changed since; it is computed anew in the background.</span>` : ""}`}</p>
    ${components.length > 0 && html`<${Scroll}><table class="grid roomy health"><thead><tr>
      <th scope="col">Component</th><th scope="col">Status</th><th scope="col" class="end">Value</th><th scope="col" class="end">Warning from</th><th scope="col" class="end">Critical from</th><th scope="col">Since</th><th scope="col" title=${`The last ${DAYS} days, each by its last status`}>By day</th>
    </tr></thead><tbody>${components.map((one) => html`<tr key=${one.name}>
      <th scope="row">${inWords(one.name)} <span class="dim">${unitOf(one)}</span>${one.reason && html`<span class="why dim">${one.reason}</span>`}</th>
      <td><${Status} value=${one.status} /></td>
      <td class="end"><span class="number" title=${one.value === null ? "not known" : `${one.value} ${one.unit}`}>${amount(one.value, one.unit)}</span></td>
      <td class="end">${amount(one.threshold.warning, one.unit, "never")}</td><td class="end">${amount(one.threshold.critical, one.unit, "never")}</td>
      <td><${Time} value=${one.since} /></td>
      <td><${Days} name=${one.name} history=${history ?? []} /></td>
    </tr>`)}</tbody></table></${Scroll}>`}
    <${Sheet} id="remedies" title="Remedies">${mended.length === 0
      ? html`<p class="dim">Nothing to mend.</p>`
      : mended.map((one) => html`<section class="remedy" key=${one.name} aria-label=${`Remedy of ${inWords(one.name)}`}>
          <p><strong>${inWords(one.name)}</strong> ${gain(one.gain)}</p>
          <pre><code>${one.remedy}</code></pre><${Copy} text=${one.remedy} />
        </section>`)}</${Sheet}>`;
}

// Return a unit without the words that the number or the name of the component already shows.
function unitOf({ name, unit }) {
  if (unit === "bytes" || unit === "seconds") return "";
  return unit.startsWith(name) ? unit.slice(name.length).trim() : unit.replace(/^percent of /, "of ");
}

const SPANS = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];

function amount(value, unit, otherwise = "–") {
  if (value === null) return otherwise;
  if (unit === "bytes") return bytes(value);
  if (unit === "seconds") {
    const [name, seconds] = SPANS.find(([, size]) => value >= size) ?? SPANS.at(-1);
    return `${count(Math.round(value / seconds))} ${name}`;
  }
  return unit.startsWith("percent") ? `${count(Math.round(value * 10) / 10)} %` : count(Math.round(value * 100) / 100);
}

// The gain of a remedy: numbers, or their limits.
function gain(found) {
  if (found === null) return null;
  const said = Object.entries(GAINS).filter(([key]) => found[key] !== null).map(([key, label]) => {
    const { lower, upper, exact } = found[key];
    const show = key === "bytes" ? bytes : count;
    const number = exact ? show(lower) : upper === null ? `at least ${show(lower)}` : `${show(lower)} to ${show(upper)}`;
    return key === "bytes" ? number : `${number} ${label}`;
  });
  return said.length ? html`<span class="dim">saves ${said.join(", ")}</span>` : null;
}

function Days({ name, history }) {
  const days = history.map((day) => ({ day: day.day, ...day.components.find((one) => one.name === name) })).filter((one) => one.status);
  if (days.length === 0) return html`<span class="dim">–</span>`;
  const label = days.map((one) => `${one.day} ${one.status}`).join(", ");
  return html`<svg class="days" width=${days.length * 4} height="14" role="img" aria-label=${label}><title>${label}</title>
    ${[...new Set(days.map((one) => one.status))].map((status) => html`<path key=${status} class=${status} d=${days.map((one, place) => (one.status === status ? rectangle(place * 4, 0, 3, 14) : "")).join("")} />`)}</svg>`;
}
