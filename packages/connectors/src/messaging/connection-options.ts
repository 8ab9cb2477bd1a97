// Endpoint options that several messaging connectors share.
import { CompileError } from "@sluice/engine/spi";
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

/** A boolean Camel option that supports only its default, false. The connector calls {@link rejectTrue} for it. */
export function falseOnlyOption(reason: string) {
  return f.boolean({ doc: `Only \`false\` is supported: ${reason}.`, default: false, group: "advanced" });
}

export function rejectTrue(option: string, value: boolean, reason: string): void {
  if (value) throw new CompileError("option-refused", `${option}=true is not supported: ${reason}`, { option });
}

/** Parses an option that is a map in Camel and a JSON object here. Values become text. */
export function jsonMapOf(option: string, json: string | undefined): Readonly<Record<string, string>> {
  if (json === undefined) return {};
  const invalid = (): CompileError =>
    new CompileError("option-invalid", `option '${option}' is not a JSON object with text, numbers or booleans as values`, {
      option,
      hint: 'write it as {"name":"value"}',
    });
  let map: unknown;
  try {
    map = JSON.parse(json);
  } catch {
    throw invalid();
  }
  if (typeof map !== "object" || map === null || Array.isArray(map)) throw invalid();
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => {
      if (typeof value === "object") throw invalid();
      return [name, String(value)];
    }),
  );
}

export const noManualAck = "a message is acknowledged when its run is done; fail the run to have it redelivered";
export const needsJava = "it needs a Java object";
export const tlsInConnection = "configure tls in a connection and reference that connection";
