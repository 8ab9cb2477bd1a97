// Endpoint options that describe a connection in place, as Camel does.
import { f } from "@sluice/model";

/** The option that names a connection of this kind. */
export const connectionField = (kind: string) =>
  f.string({
    doc: "Name of the connection; optional when there is only one of its type, or when the endpoint contains the address.",
    examples: ["#orders"],
    connection: [kind],
  });

/** The values of those fields in the endpoint, as text, because connection fields are parsed from text. */
export function inlineValues(fields: Readonly<Record<string, unknown>>, options: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(fields)) {
    const value = options[name];
    if (value !== undefined && value !== null) given[name] = String(value);
  }
  return given;
}

/** A Camel option without effect, accepted so that flows need not be changed. */
export function accepted(doc: string) {
  return f.string({ doc: `Accepted but ignored: ${doc}.`, group: "advanced" });
}

export const needsJava = "needs a Java object, which is not supported";
export const tlsInConnection = "configure tls in a connection and reference that connection";
