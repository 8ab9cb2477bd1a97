import { documentText } from "@sluice/mapping";

/** What a new document starts from: one rule of each everyday kind, to be changed. */
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

/** The text the editor opens with. */
export const documentStart = (id: string, document: unknown): string => (document === undefined ? newDocumentText(id) : documentText(document));
