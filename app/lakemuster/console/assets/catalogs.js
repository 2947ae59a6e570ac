import { html } from "./html.js";
export const Catalogs = () => html`<p></p>`;
