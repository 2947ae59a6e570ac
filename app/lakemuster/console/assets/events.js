import { html } from "./html.js";
export const Events = () => html`<p></p>`;
