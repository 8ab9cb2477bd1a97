/** Serializes mapping documents; lists the formats of source and target. */
export { documentText, formatNames } from "@sluice/mapping";
