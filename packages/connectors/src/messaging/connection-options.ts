// Endpoint options that describe a connection in place, as Camel does.
import { f } from "@sluice/model";

/** The option that references a connection of this kind. */
export const connectionField = (kind: string) =>
  f.string({
    doc: "Name of the connection; optional when there is only one of its type, or when the endpoint contains the address.",
    examples: ["#orders"],
    connection: [kind],
  });

/** The values that the endpoint's options set for these connection fields, as text, because connection fields are parsed from text. */
export function inlineValues(fields: Readonly<Record<string, unknown>>, options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(fields)) {
    const value = options[name];
    if (value !== undefined && value !== null) values[name] = String(value);
  }
  return values;
}

/** A Camel option without effect, accepted so that flows need not be changed. */
export function ignoredOption(doc: string) {
  return f.string({ doc: `Accepted but ignored: ${doc}.`, group: "advanced" });
}

export const needsJava = "it needs a Java object";
export const tlsInConnection = "configure tls in a connection and reference that connection";
