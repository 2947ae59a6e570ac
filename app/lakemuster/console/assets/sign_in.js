// Sign-in: by a token, or at the organisation's identity provider.
import { signIn } from "./api.js";
import { html, useState } from "./html.js";
import { useTitle } from "./parts.js";

// Messages for a failed sign-in at the identity provider, by the code of the error.
const FAILURES = {
  not_authenticated: "The sign-in was refused, or took too long. Sign in again.",
  identity_unavailable: "The identity provider does not answer. Try again in a moment.",
};

export function SignIn({ methods, failure, done }) {
  const [error, setError] = useState(failure ? FAILURES[failure] ?? "The sign-in failed. Try again in a moment." : null);
  const [busy, setBusy] = useState(false);
  useTitle("Sign in");
  const submit = async (event) => {
    event.preventDefault();
    const token = new FormData(event.target).get("token").trim();
    if (!token) return;
    setBusy(true);
    try {
      done(await signIn(token));
    } catch (problem) {
      setError(problem.status === 401 ? "This token is not valid." : problem.message);
      setBusy(false);
    }
  };
  const next = encodeURIComponent(failure ? "#/" : window.location.hash || "#/");
  return html`<div class="sign-in">
    <h1>Sign in</h1>
    <p id="sign-in-error" class="problem" role="alert">${error}</p>
    ${methods.includes("oidc") && html`<p><a class="button primary" href=${`session/oidc?next=${next}`}>Sign in with your organisation</a></p>`}
    ${methods.includes("token") && html`<form onSubmit=${submit}>
      <label for="token">Token</label>
      <input id="token" name="token" type="password" autocomplete="off" spellcheck=${false} required aria-describedby="sign-in-error" />
      <button type="submit" class="primary" disabled=${busy}>Sign in</button>
    </form>`}
  </div>`;
}
