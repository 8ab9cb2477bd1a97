// Access policies as JSON, and validation errors assigned to their paths.
import { valueAt, type Members, type Path } from "../controls/json-path.ts";

export type Policy = Members;

export const listAt = (policy: Policy, path: Path): readonly unknown[] => {
  const value = valueAt(policy, path);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
};

/** Formats a path as in validation errors: `authenticate[0].keys[1].id`. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, name) => (typeof name === "number" ? `${text}[${name}]` : text === "" ? name : `${text}.${name}`), "");

/** The request body: without read-only members, empty lists and empty groups. */
export function documentOf(reply: object): Policy {
  const { flowId: _flowId, lastModified: _lastModified, hash: _hash, ...policy } = reply as Policy;
  return Object.fromEntries(
    Object.entries(policy).flatMap(([name, value]) => {
      if (Array.isArray(value)) return value.length === 0 ? [] : [[name, value]];
      if (name !== "ip") return [[name, value]];
      const lists = Object.entries(value as Policy).filter(([, list]) => Array.isArray(list) && list.length > 0);
      return lists.length === 0 ? [] : [[name, Object.fromEntries(lists)]];
    }),
  );
}

export interface PolicyErrors {
  readonly fields: ReadonlyMap<string, string>;
  /** Errors that belong to no field. */
  readonly rest: readonly string[];
}

export const noErrors: PolicyErrors = { fields: new Map(), rest: [] };

/** Parses a validation error: `access policy 'orders': rules[0].roles: must not be empty; default: must be one of …`. */
export function parseErrors(message: string): PolicyErrors {
  const fields = new Map<string, string>();
  const rest: string[] = [];
  for (const part of message.replace(/^access policy '[^']*': /, "").split("; ")) {
    const [, path, message] = /^((?:authenticate|rules|default|ip|rateLimit|cors)[\w.[\]]*): (.+)$/s.exec(part) ?? [];
    if (path === undefined || message === undefined) rest.push(part);
    else if (!fields.has(path)) fields.set(path, message);
  }
  return { fields, rest };
}

/** The error of a field, or else of the first invalid item of its list. */
export function errorAt({ fields }: PolicyErrors, path: Path): string | undefined {
  const text = pathText(path);
  const exact = fields.get(text);
  if (exact !== undefined) return exact;
  for (const [field, message] of fields)
    if (field.startsWith(`${text}[`) && /^\[\d+\]$/.test(field.slice(text.length))) return `${field.slice(text.length)} ${message}`;
  return undefined;
}

/** Removes the errors of a changed value and of its members. */
export function withoutErrors({ fields, rest }: PolicyErrors, path: Path): PolicyErrors {
  const text = pathText(path);
  const remaining = [...fields].filter(([field]) => field !== text && !field.startsWith(`${text}.`) && !field.startsWith(`${text}[`));
  return remaining.length === fields.size ? { fields, rest } : { fields: new Map(remaining), rest };
}

export const newSchemes: Readonly<Record<SchemeType, Policy>> = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "", key: "" }] },
  basic: { type: "basic", users: [{ username: "", password: "" }] },
  jwt: { type: "jwt" },
  hmac: { type: "hmac", preset: "github", secrets: [""] },
};

export const schemeTypes = ["apiKey", "basic", "jwt", "hmac"] as const;
export type SchemeType = (typeof schemeTypes)[number];
