// Parts of @sluice/mapping that the document screens use.
export { documentText, formatNames } from "@sluice/mapping";
