import { f } from "@sluice/model";

/** Options that several languages share, declared once. */
export const sourceOption = f.string({
  doc: "Reads `header:name`, `property:name` or a variable (`name` or `variable:name`) instead of the body.",
  group: "advanced",
});
export const resultTypeOption = f.string({ doc: "Type of the result, such as `java.lang.Integer` or `String`." });
export const trimOption = f.boolean({ doc: "Accepted but ignored: whitespace around the expression has no effect.", default: true, group: "advanced" });
export const idOption = f.string({ doc: "Id of the expression, for tools.", group: "advanced" });

/** True when a text option is `true`, case-insensitively. */
export function isOn(options: Readonly<Record<string, string>>, name: string, fallback = false): boolean {
  const value = options[name];
  return value === undefined ? fallback : value.trim().toLowerCase() === "true";
}

/** Reads a non-negative integer option; undefined when it is absent or not an integer. */
export function integerOption(options: Readonly<Record<string, string>>, name: string): number | undefined {
  const value = options[name];
  return value === undefined || !/^\d+$/.test(value.trim()) ? undefined : Number(value.trim());
}
