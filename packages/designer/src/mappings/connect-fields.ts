// Source and target fields of a document as trees, and the rule that connects two of them.
import { documentText } from "@sluice/mapping";

type Members = Readonly<Record<string, unknown>>;

export interface SourceField {
  /** As written in a rule: `customer.name`, `lines[*].sku`. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** A sample value; undefined for fields with children. */
  readonly example: string | undefined;
}

export interface TargetField {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** Indexes of its rule in the nested rule lists; undefined while the field is not filled. */
  readonly rule: readonly number[] | undefined;
  /** Short description of its source. */
  readonly filledFrom: string | undefined;
  readonly required: boolean;
}

const maxFields = 400;
const maxExampleLength = 40;
const valueSources = ["forEach", "from", "value", "expr", "lookup", "switch", "use", "with", "map"] as const;

/** The fields of a JSON sample; other formats have none. */
export function sourceFields(sample: string): readonly SourceField[] {
  const fields: SourceField[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (!isMembers(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (fields.length >= maxFields) return;
      const own = path === "" ? segment(name) : `${path}.${segment(name)}`.replace(".['", "['");
      const item = Array.isArray(member) ? (member as readonly unknown[]).find(isMembers) : undefined;
      const isLeaf = !isMembers(member) && item === undefined;
      fields.push({ path: own, name: Array.isArray(member) ? `${name}[]` : name, depth, example: isLeaf ? exampleOf(member) : undefined });
      if (item !== undefined) visit(item, `${own}[*]`, depth + 1);
      else visit(member, own, depth + 1);
    }
  };
  visit(parsed(sample), "", 0);
  return fields;
}

/** Every field that the document fills, and those in its schema or sample. */
export function targetFields(document: Members): readonly TargetField[] {
  const fields: TargetField[] = [];
  const visit = (rules: unknown, wanted: Wanted, depth: number, at: readonly number[], above: string): void => {
    const list = Array.isArray(rules) ? (rules as readonly unknown[]) : [];
    const filled = new Set<string>();
    list.forEach((rule, index) => {
      if (!isMembers(rule) || fields.length >= maxFields) return;
      const to = String(rule["to"] ?? "");
      const name = to.replace(/\[\]$/, "");
      filled.add(name);
      const path = above === "" ? to : `${above}.${to}`;
      fields.push({
        path,
        name: to,
        depth,
        rule: [...at, index],
        filledFrom: filledFrom(rule),
        required: rule["required"] === true || wanted.required.has(name),
      });
      if (rule["map"] !== undefined) visit(rule["map"], wanted.inner(name), depth + 1, [...at, index], path);
    });
    for (const name of wanted.names) {
      if (filled.has(name) || fields.length >= maxFields) continue;
      fields.push({ path: above === "" ? name : `${above}.${name}`, name, depth, rule: undefined, filledFrom: undefined, required: wanted.required.has(name) });
    }
  };
  visit(document["map"], wantedOf(document["target"]), 0, [], "");
  return fields;
}

/** The document with a target field filled from a source field; undefined when its rule no longer exists. */
export function connected(
  document: Members,
  source: string,
  target: { readonly path: string; readonly rule: readonly number[] | undefined },
): string | undefined {
  const rules = Array.isArray(document["map"]) ? (document["map"] as readonly unknown[]) : [];
  if (target.rule === undefined) return documentText({ ...document, map: added(rules, target.path.split("."), source, undefined) });
  const changed = changedAt(rules, target.rule, source, undefined);
  return changed === undefined ? undefined : documentText({ ...document, map: changed });
}

export interface Proposal {
  readonly source: string;
  readonly target: TargetField;
}

/** Unfilled fields for which the sample has a field of the same name, ignoring case and dashes. */
export function proposals(document: Members, sample: string): readonly Proposal[] {
  const sources = sourceFields(sample).filter(({ example }) => example !== undefined);
  return targetFields(document).flatMap((target) => {
    if (target.rule !== undefined) return [];
    const source = sources.find(({ name }) => folded(name) === folded(target.name));
    return source === undefined ? [] : [{ source: source.path, target }];
  });
}

function added(rules: readonly unknown[], names: readonly string[], source: string, around: string | undefined): readonly unknown[] {
  const [name = "", ...inner] = names;
  const index = inner.length === 0 ? -1 : rules.findIndex((rule) => isMembers(rule) && Array.isArray(rule["map"]) && rule["to"] === name);
  const holder = rules[index] as Members | undefined;
  if (holder === undefined) return [...rules, { to: names.join("."), from: relative(source, around) }];
  const map = added(holder["map"] as readonly unknown[], inner, source, loopOf(holder, around));
  return rules.map((rule, at) => (at === index ? { ...holder, map } : rule));
}

function changedAt(
  rules: readonly unknown[],
  [at = -1, ...inner]: readonly number[],
  source: string,
  around: string | undefined,
): readonly unknown[] | undefined {
  const rule = rules[at];
  if (!isMembers(rule)) return undefined;
  let next: unknown;
  if (inner.length === 0 && rule["forEach"] !== undefined) next = { ...rule, forEach: relative(source, around) };
  else if (inner.length === 0) {
    const kept = Object.fromEntries(Object.entries(rule).filter(([key]) => !valueSources.some((one) => one === key)));
    const { to, ...others } = kept;
    next = { to, from: relative(source, around), ...others };
  } else {
    const map = Array.isArray(rule["map"]) ? changedAt(rule["map"] as readonly unknown[], inner, source, loopOf(rule, around)) : undefined;
    if (map === undefined) return undefined;
    next = { ...rule, map };
  }
  return rules.map((one, index) => (index === at ? next : one));
}

/** The list over which the inner rules iterate. */
const loopOf = (rule: Members, around: string | undefined): string | undefined => (typeof rule["forEach"] === "string" ? rule["forEach"] : around);

/** In a loop over `lines`, `lines[*].sku` becomes `sku`. */
const relative = (source: string, loop: string | undefined): string => {
  const start = loop === undefined ? undefined : `${loop.replace(/\[\*\]$/, "")}[*].`;
  return start !== undefined && source.startsWith(start) ? source.slice(start.length) : source;
};

function filledFrom(rule: Members): string {
  const key = valueSources.find((one) => rule[one] !== undefined);
  if (key === undefined) return "";
  const given = rule[key];
  if (key === "from" || key === "expr") return String(given);
  if (key === "value") return JSON.stringify(given);
  return key === "forEach" ? `each of ${typeof given === "string" ? given : "…"}` : key;
}

interface Wanted {
  readonly names: readonly string[];
  readonly required: ReadonlySet<string>;
  inner(name: string): Wanted;
}

const nothing: Wanted = { names: [], required: new Set(), inner: () => nothing };

function wantedOf(target: unknown): Wanted {
  if (!isMembers(target)) return nothing;
  if (isMembers(target["schema"])) return ofSchema(target["schema"]);
  const { sample } = target;
  return ofSample(typeof sample === "string" ? parsed(sample) : sample);
}

function ofSchema(schema: Members): Wanted {
  const properties = isMembers(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as readonly unknown[]).map(String) : []);
  const inner = (name: string): Wanted => {
    const member = properties[name];
    if (!isMembers(member)) return nothing;
    return isMembers(member["items"]) ? ofSchema(member["items"]) : ofSchema(member);
  };
  return { names: Object.keys(properties), required, inner };
}

function ofSample(sample: unknown): Wanted {
  const value = Array.isArray(sample) ? (sample as readonly unknown[]).find(isMembers) : sample;
  return isMembers(value) ? { names: Object.keys(value), required: new Set(), inner: (name) => ofSample(value[name]) } : nothing;
}

const segment = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `['${name.replaceAll("'", "\\'")}']`);
const folded = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

function exampleOf(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
