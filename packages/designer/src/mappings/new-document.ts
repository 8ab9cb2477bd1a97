import { documentText } from "@sluice/mapping";

/** Template of a new document: one rule of each common kind. */
export function newDocumentText(name: string): string {
  return documentText({
    name,
    source: { format: "json", sample: { id: "A-1001", customer: { firstName: "Ada", lastName: "Lovelace" } } },
    target: { format: "json" },
    map: [
      { to: "orderNo", from: "id", required: true },
      { to: "customerName", expr: "customer.firstName + ' ' + customer.lastName" },
    ],
  });
}

/** The initial text of the editor. */
export const documentStart = (id: string, document: unknown): string => (document === undefined ? newDocumentText(id) : documentText(document));
