// Tests whether a flow uses a table or a document. Searches the text only, so that it also works for flows that cannot be parsed.

/** True for the text of a flow that looks up values in the table, with an endpoint or in Simple. */
export function mentionsTable(id: string): (text: string) => boolean {
  const endpoint = mentionsEndpoint("value-mapping", "table", id);
  const call = new RegExp(`\\bvalueMapping\\(\\s*['"]?${escapeId(id)}['"]?\\s*,`);
  return (text) => endpoint(text) || call.test(text);
}

/** True for the text of a flow that sends to the document. */
export const mentionsDocument = (id: string): ((text: string) => boolean) => mentionsEndpoint("message-mapping", "mapping", id);

/** The short form of an endpoint, or its scheme with the id as a parameter. */
function mentionsEndpoint(scheme: string, parameter: string, id: string): (text: string) => boolean {
  const name = escapeId(id);
  const shortForm = new RegExp(`\\b${scheme}:(?://)?${name}(?![\\w.-])`);
  const longForm = new RegExp(`\\buri:\\s*["']?${scheme}["']?\\s*(?:[,}#]|$)`, "m");
  const parameterPattern = new RegExp(`\\b${parameter}["']?:\\s*["']?${name}["']?\\s*(?:[,}#]|$)`, "m");
  return (text) => shortForm.test(text) || (longForm.test(text) && parameterPattern.test(text));
}

const escapeId = (id: string): string => id.replaceAll(/[.-]/g, "\\$&");
