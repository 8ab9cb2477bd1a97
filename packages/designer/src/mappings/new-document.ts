import { documentText } from "@sluice/mapping";

/** A new document has no fields yet. */
export const newDocumentText = (name: string): string => documentText({ name, source: { format: "json" }, target: { format: "json" }, map: [] });

/** The initial text of the editor. */
export const initialDocumentText = (id: string, document: unknown): string => (document === undefined ? newDocumentText(id) : documentText(document));
