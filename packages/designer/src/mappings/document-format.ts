/** How documents are written, and the formats that their sides may have. */
export { documentText, formatNames } from "@sluice/mapping";
