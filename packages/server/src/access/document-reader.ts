// Reads a JSON document and collects problems with their paths. Problems never include values, which may be secrets.
import { closest } from "@sluice/model";

export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

/** Limits the length of lists, because a policy is read synchronously. */
export const maxListLength = 10_000;
/** Maximum number of unknown properties reported by name: finding the closest known name for 100,000 properties takes seconds. */
const maxReportedNames = 20;

export type Members = Readonly<Record<string, unknown>>;

export class DocumentReader {
  readonly problems: string[] = [];

  report(path: string, text: string): undefined {
    this.problems.push(path === "" ? text : `${path}: ${text}`);
    return undefined;
  }

  /** Reads an object. Unknown members are problems: a misspelled restriction would have no effect. */
  object(value: unknown, path: string, names: readonly string[]): Members | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.report(path, "must be an object");
    const unknown = Object.keys(value).filter((name) => !names.includes(name));
    for (const name of unknown.slice(0, maxReportedNames)) {
      const suggestion = closest(name, names);
      this.report(path, `unknown property '${printable(name)}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
    }
    if (unknown.length > maxReportedNames) this.report(path, `${unknown.length - maxReportedNames} more unknown properties`);
    return value as Members;
  }

  list(value: unknown, path: string): readonly unknown[] | undefined {
    if (!Array.isArray(value)) return this.report(path, value === undefined ? "is required" : "must be a list");
    if (value.length > maxListLength) return this.report(path, `must not have more than ${maxListLength} entries`);
    return value.length === 0 ? this.report(path, "must not be empty") : value;
  }

  text(value: unknown, path: string, problem = "must be a string"): string | undefined {
    if (value === undefined || value === "") return this.report(path, value === "" ? "must not be empty" : "is required");
    return typeof value === "string" ? value : this.report(path, problem);
  }

  /** Reads text that matches a pattern. */
  textMatching(value: unknown, path: string, pattern: RegExp, problem: string): string | undefined {
    const text = this.text(value, path);
    return text === undefined || pattern.test(text) ? text : this.report(path, problem);
  }

  texts(value: unknown, path: string): readonly string[] | undefined {
    const texts = this.list(value, path)?.map((item, index) => this.text(item, `${path}[${index}]`));
    return texts?.every((text) => text !== undefined) === true ? texts : undefined;
  }

  oneOf<const V extends readonly string[]>(value: unknown, path: string, values: V): V[number] | undefined {
    if (typeof value === "string" && values.includes(value)) return value;
    return this.report(path, value === undefined ? "is required" : `must be one of ${values.join(", ")}`);
  }

  integer(value: unknown, path: string, min: number, max: number): number | undefined {
    if (value === undefined) return this.report(path, "is required");
    return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : this.report(path, `must be an integer from ${min} to ${max}`);
  }

  boolean(value: unknown, path: string): boolean | undefined {
    return typeof value === "boolean" ? value : this.report(path, "must be true or false");
  }

  /** Reads an optional member. */
  optional<T>(value: unknown, read: (value: unknown) => T | undefined): T | undefined {
    return value === undefined ? undefined : read(value);
  }
}

/** Removes undefined members. */
export function compact<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

const printable = (name: string): string => name.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 60);
