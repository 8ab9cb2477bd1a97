// Whether the text of a flow names a table or a document. Uses the text only, so that it also works for flows that cannot be parsed.

/** The text looks up values in the table: by an endpoint, or in Simple. */
export function namesTable(id: string): (text: string) => boolean {
  const endpoint = namesEndpoint("value-mapping", "table", id);
  const call = new RegExp(`\\bvalueMapping\\(\\s*['"]?${escaped(id)}['"]?\\s*,`);
  return (text) => endpoint(text) || call.test(text);
}

/** The text sends to the document. */
export const namesDocument = (id: string): ((text: string) => boolean) => namesEndpoint("message-mapping", "mapping", id);

/** The short form of an endpoint, or its scheme with the id as a parameter. */
function namesEndpoint(scheme: string, parameter: string, id: string): (text: string) => boolean {
  const name = escaped(id);
  const short = new RegExp(`\\b${scheme}:(?://)?${name}(?![\\w.-])`);
  const long = new RegExp(`\\buri:\\s*["']?${scheme}["']?\\s*(?:[,}#]|$)`, "m");
  const given = new RegExp(`\\b${parameter}["']?:\\s*["']?${name}["']?\\s*(?:[,}#]|$)`, "m");
  return (text) => short.test(text) || (long.test(text) && given.test(text));
}

const escaped = (id: string): string => id.replaceAll(/[.-]/g, "\\$&");
