// Requests to the public API, relative to the page, so that they work below any path of a proxy.
import { useCallback, useEffect, useRef, useState } from "./html.js";

const ROOT = "api/v1/";
const CSRF = "X-Lakemuster-CSRF";
let csrf = null;
const refusals = new Set();

class Problem extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.details = error;
  }
}

// Call `told` when a request is refused because it is not authenticated, and with the new session when another tab has
// begun one; return a function that unregisters it.
export function onRefusal(told) {
  refusals.add(told);
  return () => refusals.delete(told);
}

async function ask(path, { method = "GET", body, signal, headers = {} } = {}) {
  const own = csrf;
  const sent = { Accept: "application/json", ...headers };
  if (body !== undefined) sent["Content-Type"] = "application/json";
  if (method !== "GET" && csrf !== null) sent[CSRF] = csrf;
  let answer;
  try {
    const text = body === undefined ? undefined : JSON.stringify(body);
    answer = await fetch(path, { method, body: text, signal, headers: sent, credentials: "same-origin" });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Problem(0, { code: "unreachable", message: "The server cannot be reached." });
  }
  if (answer.status === 204) return null;
  const document = await answer.json().catch(() => null);
  if (answer.ok && document !== null) return document;
  if (answer.status === 401 && path.startsWith(ROOT)) refusals.forEach((told) => told());
  // The token belongs to a session, and the cookie may belong to a later one.
  if (answer.status === 403 && method !== "GET" && own !== null && path.startsWith(ROOT)) {
    const found = csrf === own ? await session() : null;
    if (csrf !== own && csrf !== null) {
      if (found !== null) refusals.forEach((told) => told(found));
      return ask(path, { method, body, signal, headers });
    }
  }
  const error = document && document.error;
  const message = `The server answered ${answer.status}.`;
  throw new Problem(answer.status, typeof error === "object" && error ? error : { code: "unknown", message });
}

function query(params) {
  const given = Object.entries(params || {}).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text ? `?${text}` : "";
}

export const tablePath = (table, rest = "") => `tables/${encodeURIComponent(table)}${rest}`;

export const get = (path, params, options) => ask(ROOT + path + query(params), options);
export const post = (path, body, options) => ask(ROOT + path, { ...options, method: "POST", body });

// Return the rows of a list, at most about `most`, and whether these are all; call `each` with the rows of each page.
export async function rows(path, key, params, { most = 10_000, signal, each } = {}) {
  const found = [];
  let answer, token;
  do {
    answer = await get(path, { page_size: 1000, ...params, page_token: token }, { signal });
    found.push(...answer[key]);
    if (each) each(answer[key]);
    token = answer.next_page_token;
  } while (token && found.length < most);
  return { rows: found, complete: !token, answer };
}

// Return the browser session: whether sign-in is required, and the signed-in caller.
export const session = async () => kept(await ask("session"));
export const signIn = async (token) => kept(await ask("session", { method: "POST", body: { token } }));
export const signOut = () => ask("session", { method: "DELETE" });

function kept(document) {
  csrf = document.csrf ?? null;
  return document;
}

// Return the result of `load(signal)`, loaded again when `key` changes; the previous result stays until then.
// `of` is the key of the result.
export function useAnswer(key, load) {
  const [state, setState] = useState({ data: null, error: null, of: null });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === null) return undefined;
    const cancel = new AbortController();
    latest.current(cancel.signal).then(
      (data) => setState({ data, error: null, of: key }),
      (error) => {
        if (error.name !== "AbortError") setState((last) => ({ ...last, error, of: key }));
      },
    );
    return () => cancel.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  const loading = key !== null && state.of !== key;
  return { data: state.data, error: loading ? null : state.error, of: state.of, loading, reload };
}
