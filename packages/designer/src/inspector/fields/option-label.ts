import type { OptionView } from "@sluice/model";

/** The title of an option, or else its name split into words: `completionSize` becomes "Completion size". */
export function optionLabel(option: OptionView): string {
  if (option.title !== undefined) return option.title;
  const text = option.name.replaceAll(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The default value as an author would write it: durations in seconds or minutes where possible. */
export function formatDefault(option: OptionView): string | undefined {
  const value = option.default;
  if (value === undefined || value === null || value === "" || typeof value === "object") return undefined;
  if (option.kind === "duration" && typeof value === "number" && value >= 1000 && value % 1000 === 0)
    return value % 60_000 === 0 ? `${value / 60_000}m` : `${value / 1000}s`;
  return String(value);
}
