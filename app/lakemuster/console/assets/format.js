// Format numbers, sizes and times. Integers beyond 2^53 are strings in the API, and stay exact.
import { html } from "./html.js";

const whole = new Intl.NumberFormat();
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long", timeZone: "UTC" });

export const UNKNOWN = "–";
export const FORMATS = { iceberg: "Iceberg", paimon: "Paimon" };
const isKnown = (value) => value !== null && value !== undefined;

// Return a time of the API with a zone: Paimon's times have none and are in UTC. A date stays as it is.
const inUtc = (text) => (/[zZ]$|[+-]\d\d:\d\d$|^[^T]*$/.test(text) ? text : `${text}Z`);

// Return a time of the API in Unix milliseconds; NaN if it is out of the range of JavaScript's dates. The years of the API
// have a sign unless they have four digits; JavaScript's then have six.
export const millisOf = (text) => Date.parse(inUtc(text).replace(/^([+-])(\d{4,5})-/, (_, sign, year) => `${sign}${year.padStart(6, "0")}-`));

// Return a time in words; years before 1 and times that are out of range as the API writes them: in words, a year has no era.
export function worded(format, text) {
  const millis = millisOf(text);
  return Number.isNaN(millis) || /^(-|0000)/.test(text) ? text : format.format(millis);
}

// Return a name of the API with spaces.
export const inWords = (name) => name.replaceAll("_", " ");

export const count = (value) => (isKnown(value) ? whole.format(typeof value === "string" ? BigInt(value) : value) : UNKNOWN);
// Return the exact sum of two integers of the API.
export function plus(one, other) {
  const sum = Number(one) + Number(other);
  return Number.isSafeInteger(sum) ? sum : BigInt(one) + BigInt(other);
}

export const short = (value) => (isKnown(value) ? compact.format(Number(value)) : UNKNOWN);

export function bytes(value) {
  if (!isKnown(value)) return UNKNOWN;
  let size = Number(value);
  let unit = 0;
  while (Math.abs(size) >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${oneDigit.format(size)} ${UNITS[unit]}`;
}

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${Number(number) === 1 ? one : many}`;
export const time = (value) => (isKnown(value) ? worded(moment, value) : UNKNOWN);
export const percent = (part) => `${oneDigit.format(part * 100)} %`;

// A number; if it is unknown, the reason is shown on hover.
export const Count = ({ value, why }) =>
  html`<span class="number" title=${isKnown(value) ? undefined : why || "not known"}>${count(value)}</span>`;

export const Bytes = ({ value, why }) =>
  html`<span class="number" title=${isKnown(value) ? `${count(value)} bytes` : why || "not known"}>${bytes(value)}</span>`;

export const Time = ({ value }) =>
  isKnown(value)
    ? html`<time datetime=${value} title=${worded(exact, value)}>${time(value)}</time>`
    : html`<span title="not known">${UNKNOWN}</span>`;

export const Day = ({ value }) =>
  isKnown(value)
    ? html`<time datetime=${value} title=${worded(exact, value)}>${worded(date, value)}</time>`
    : html`<span title="not known">${UNKNOWN}</span>`;

// A signed change; nothing if it is zero or unknown.
export const Change = ({ value, sign, as = count }) =>
  isKnown(value) && Number(value) !== 0
    ? html`<span class=${`number ${sign === "+" ? "added" : "removed"}`} title=${count(value)}>${sign === "+" ? "+" : "−"}${as(value)}</span>`
    : null;

// A name or a value of a table: escaped text whose direction is isolated from its surroundings.
export const Name = ({ value, title }) => html`<bdi class="name" title=${title ?? value}>${value}</bdi>`;

export const asText = (value) =>
  value === null || value === undefined ? "null" : typeof value === "object" ? JSON.stringify(value) : String(value);

export const partitionText = (partition) => {
  const parts = Object.entries(partition || {});
  return parts.length ? parts.map(([key, value]) => `${key}=${asText(value)}`).join(" / ") : "unpartitioned";
};
