// An access policy while it is edited: plain JSON, changed by path, and what a refusal says about each path.

export type Policy = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? (inner as Readonly<Record<string | number, unknown>>)[name] : undefined),
    value,
  );
}

export const listAt = (policy: Policy, path: Path): readonly unknown[] => {
  const value = valueAt(policy, path);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
};

/** The policy with one value changed; undefined takes a member away. Objects on the way are made. */
export function withValue(policy: Policy, path: Path, value: unknown): Policy {
  return changed(policy, path, value) as Policy;
}

function changed(container: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (typeof name === "number") {
    const list = Array.isArray(container) ? [...(container as readonly unknown[])] : [];
    list[name] = changed(list[name], rest, value);
    return list;
  }
  const members = { ...(container as Policy | undefined) };
  const inner = changed(members[name], rest, value);
  if (inner === undefined) delete members[name];
  else members[name] = inner;
  return members;
}

/** `authenticate[0].keys[1].id`, as refusals name it. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, name) => (typeof name === "number" ? `${text}[${name}]` : text === "" ? name : `${text}.${name}`), "");

/** What is sent: without what only reading adds, and without empty lists and groups, which would say nothing. */
export function documentOf(shown: object): Policy {
  const { flowId: _flowId, lastModified: _lastModified, hash: _hash, ...policy } = shown as Policy;
  return Object.fromEntries(
    Object.entries(policy).flatMap(([name, value]) => {
      if (Array.isArray(value)) return value.length === 0 ? [] : [[name, value]];
      if (name !== "ip") return [[name, value]];
      const lists = Object.entries(value as Policy).filter(([, list]) => Array.isArray(list) && list.length > 0);
      return lists.length === 0 ? [] : [[name, Object.fromEntries(lists)]];
    }),
  );
}

export interface PlacedErrors {
  readonly fields: ReadonlyMap<string, string>;
  /** What no field can show. */
  readonly rest: readonly string[];
}

export const noErrors: PlacedErrors = { fields: new Map(), rest: [] };

/** Takes a refusal apart: `access policy 'orders': rules[0].roles: must not be empty; default: must be one of …`. */
export function placedErrors(sentence: string): PlacedErrors {
  const fields = new Map<string, string>();
  const rest: string[] = [];
  for (const part of sentence.replace(/^access policy '[^']*': /, "").split("; ")) {
    const [, path, message] = /^((?:authenticate|rules|default|ip|rateLimit|cors)[\w.[\]]*): (.+)$/s.exec(part) ?? [];
    if (path === undefined || message === undefined) rest.push(part);
    else if (!fields.has(path)) fields.set(path, message);
  }
  return { fields, rest };
}

/** What is said about the field itself or about an item of its list. */
export function errorAt({ fields }: PlacedErrors, path: Path): string | undefined {
  const text = pathText(path);
  const exact = fields.get(text);
  if (exact !== undefined) return exact;
  for (const [place, message] of fields)
    if (place.startsWith(`${text}[`) && /^\[\d+\]$/.test(place.slice(text.length))) return `${place.slice(text.length)} ${message}`;
  return undefined;
}

/** What is left to say once a value was changed: nothing about it, nor about what is inside it. */
export function withoutErrors({ fields, rest }: PlacedErrors, path: Path): PlacedErrors {
  const text = pathText(path);
  const left = [...fields].filter(([place]) => place !== text && !place.startsWith(`${text}.`) && !place.startsWith(`${text}[`));
  return left.length === fields.size ? { fields, rest } : { fields: new Map(left), rest };
}

export const newSchemes: Readonly<Record<SchemeType, Policy>> = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "", key: "" }] },
  basic: { type: "basic", users: [{ username: "", password: "" }] },
  jwt: { type: "jwt" },
  hmac: { type: "hmac", preset: "github", secrets: [""] },
};

export const schemeTypes = ["apiKey", "basic", "jwt", "hmac"] as const;
export type SchemeType = (typeof schemeTypes)[number];
