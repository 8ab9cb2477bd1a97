// Source and target fields of a document as flat lists in tree order, and the rules that connect them.
import { isMembers, messageData, type Members } from "../data-panel/message-data.ts";
import { mapperStrings } from "../strings/mapper.ts";
import { isList, loopPath, pathsIn, functionsIn } from "./mapping-paths.ts";
import { formulaOf } from "./rule-edits.ts";

export interface SourceField {
  /** As written in a rule: `customer.name`, `lines[*].sku`. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** A sample value; undefined for fields with children. */
  readonly example: string | undefined;
  readonly isObjectList: boolean;
  readonly isNumber: boolean;
}

export interface TargetField {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** Indexes of its rule in the nested rule lists; undefined while the field is not filled. */
  readonly rule: readonly number[] | undefined;
  /** Its source as one line; undefined while it is not filled. */
  readonly formula: string | undefined;
  /** The condition of its rule, or the filter of a loop; empty if there is none. */
  readonly when: string;
  /** The absolute paths of the source fields that it reads. */
  readonly sources: readonly string[];
  /** The functions between source and target. */
  readonly functions: readonly string[];
  /** True for a field that the schema or sample of the target has: it is listed even without a rule. */
  readonly isExpected: boolean;
  /** True for a field with fields of its own. */
  readonly isGroup: boolean;
  readonly required: boolean;
}

const maxFields = 400;
const maxExampleLength = 40;

/** The fields of a sample: those of JSON, or of XML without its root element. */
export function sourceFields(sample: string): readonly SourceField[] {
  const fields: SourceField[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    if (!isMembers(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (fields.length >= maxFields) return;
      const fieldPath = memberPath(path, name);
      const item = Array.isArray(member) ? (member as readonly unknown[]).find(isMembers) : undefined;
      const isLeaf = !isMembers(member) && item === undefined;
      fields.push({
        path: fieldPath,
        name: Array.isArray(member) ? `${name}[]` : name,
        depth,
        example: isLeaf ? exampleOf(member) : undefined,
        isObjectList: item !== undefined,
        isNumber: typeof member === "number",
      });
      if (item !== undefined) visit(item, `${fieldPath}[*]`, depth + 1);
      else visit(member, fieldPath, depth + 1);
    }
  };
  visit(contentOf(sample), "", 0);
  return fields;
}

const memberPath = (path: string, name: string): string => (path === "" ? segment(name) : `${path}.${segment(name)}`.replace(".['", "['"));

const maxValues = 20;

/** The different values of a source field in the sample: one per item for a field in a list. */
export function sampleValues(sample: string, path: string): readonly Scalar[] {
  const values = new Set<Scalar>();
  const visit = (value: unknown, parentPath: string): void => {
    if (!isMembers(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const fieldPath = memberPath(parentPath, name);
      if (fieldPath === path && isScalar(member) && values.size < maxValues) values.add(member);
      if (Array.isArray(member)) for (const item of member as readonly unknown[]) visit(item, `${fieldPath}[*]`);
      else visit(member, fieldPath);
    }
  };
  visit(contentOf(sample), "");
  return [...values];
}

/** The value of a target field in the target's sample; for a field in a list, the value in the first item. */
export function expectedValue(document: Members, path: string): Scalar | undefined {
  const target = isMembers(document["target"]) ? document["target"] : {};
  const { sample } = target;
  const value = memberAt(typeof sample === "string" ? contentOf(sample) : sample, path);
  return isScalar(value) ? value : undefined;
}

export type Scalar = string | number | boolean;

const isScalar = (value: unknown): value is Scalar => typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** The member at a target path; in a list, that of the first item. */
function memberAt(content: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, name) => {
    const container = Array.isArray(inner) ? (inner as readonly unknown[])[0] : inner;
    return isMembers(container) ? container[name.replace(/\[\]$/, "")] : undefined;
  }, content);
}

function contentOf(sample: string): unknown {
  const { body, format } = messageData({ body: sample });
  if (format === "json") return body;
  return format === "xml" && isMembers(body) ? Object.values(body)[0] : undefined;
}

/** Every field that the document fills, and those in its schema or sample. */
export function targetFields(document: Members): readonly TargetField[] {
  const fields: TargetField[] = [];
  const addUnfilled = (names: readonly string[], expected: ExpectedFields, depth: number, parentPath: string): void => {
    for (const name of names) {
      if (fields.length >= maxFields) return;
      const inner = expected.inner(name);
      const written = inner.isList ? `${name}[]` : name;
      const path = parentPath === "" ? written : `${parentPath}.${written}`;
      fields.push({ ...unfilled, path, name: written, depth, isGroup: inner.names.length > 0, isExpected: true, required: expected.required.has(name) });
      addUnfilled(inner.names, inner, depth + 1, path);
    }
  };
  const visit = (rules: unknown, expected: ExpectedFields, depth: number, at: readonly number[], parentPath: string, loops: readonly string[]): void => {
    const list = Array.isArray(rules) ? (rules as readonly unknown[]) : [];
    const filled = new Set<string>();
    list.forEach((rule, index) => {
      if (!isMembers(rule) || fields.length >= maxFields) return;
      const to = String(rule["to"] ?? "");
      const name = to.replace(/\[\]$/, "");
      filled.add(name);
      const path = parentPath === "" ? to : `${parentPath}.${to}`;
      const hasRules = Array.isArray(rule["map"]);
      const { forEach, when, where } = rule;
      const formula = sourceText(rule);
      const read = pathsIn([formula, when].filter((text) => typeof text === "string").join(" "), loops);
      const loop = typeof forEach === "string" ? loopPath(forEach, loops) : undefined;
      fields.push({
        path,
        name: to,
        depth,
        rule: [...at, index],
        formula,
        when: typeof when === "string" ? when : typeof where === "string" ? where : "",
        sources: loop === undefined ? read : [loop],
        functions: loop === undefined ? functionsIn(formula) : [],
        isGroup: hasRules,
        isExpected: expected.names.includes(name),
        required: rule["required"] === true || expected.required.has(name),
      });
      if (hasRules) visit(rule["map"], expected.inner(name), depth + 1, [...at, index], path, loop === undefined ? loops : [...loops, loop]);
    });
    addUnfilled(
      expected.names.filter((name) => !filled.has(name)),
      expected,
      depth,
      parentPath,
    );
  };
  visit(document["map"], expectedOf(document["target"]), 0, [], "", []);
  return fields;
}

const unfilled = { rule: undefined, formula: undefined, when: "", sources: [], functions: [] } as const;

/** The formula of a rule; for a rule without one, such as a switch, the kind of its source. */
function sourceText(rule: Members): string {
  const formula = formulaOf(rule);
  if (formula !== "" || Array.isArray(rule["map"])) return formula;
  return ["switch", "use", "expr", "forEach"].find((key) => rule[key] !== undefined) ?? "";
}

/** The value of a target field in the output; for a field in a list, the value in the first item. Undefined when there is none. */
export function outputValue(output: string | undefined, path: string): string | undefined {
  if (output === undefined) return undefined;
  const value = memberAt(contentOf(output), path);
  if (value === undefined) return undefined;
  return Array.isArray(value) ? mapperStrings.items(value.length) : exampleOf(value);
}

export interface Proposal {
  readonly source: SourceField;
  readonly target: TargetField;
}

/** Unfilled fields for which the sample has a field of the same name, ignoring case and punctuation; in a loop, fields of its items first. */
export function proposals(document: Members, sample: string): readonly Proposal[] {
  const all = sourceFields(sample);
  const targets = targetFields(document);
  return targets.flatMap((target): readonly Proposal[] => {
    if (target.rule !== undefined || (target.isGroup && !isList(target.name))) return [];
    const enclosingList = targets.find(({ path, isGroup }) => isGroup && isList(path) && target.path.startsWith(`${path}.`))?.sources[0];
    const matches = all.filter(
      (source) => normalized(source.name) === normalized(target.name) && (isList(target.name) ? source.isObjectList : source.example !== undefined),
    );
    const source = matches.find(({ path }) => enclosingList !== undefined && path.startsWith(`${enclosingList}[*]`)) ?? matches[0];
    return source === undefined ? [] : [{ source, target }];
  });
}

interface ExpectedFields {
  readonly isList: boolean;
  readonly names: readonly string[];
  readonly required: ReadonlySet<string>;
  inner(name: string): ExpectedFields;
}

const noExpectedFields: ExpectedFields = { isList: false, names: [], required: new Set(), inner: () => noExpectedFields };

function expectedOf(target: unknown): ExpectedFields {
  if (!isMembers(target)) return noExpectedFields;
  if (isMembers(target["schema"])) return ofSchema(target["schema"]);
  const { sample } = target;
  return ofSample(typeof sample === "string" ? contentOf(sample) : sample);
}

function ofSchema(schema: Members): ExpectedFields {
  const properties = isMembers(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as readonly unknown[]).map(String) : []);
  const inner = (name: string): ExpectedFields => {
    const member = properties[name];
    if (!isMembers(member)) return noExpectedFields;
    return isMembers(member["items"]) ? { ...ofSchema(member["items"]), isList: true } : { ...ofSchema(member), isList: member["type"] === "array" };
  };
  return { isList: false, names: Object.keys(properties), required, inner };
}

function ofSample(sample: unknown): ExpectedFields {
  const value = Array.isArray(sample) ? (sample as readonly unknown[]).find(isMembers) : sample;
  const isList = Array.isArray(sample);
  return isMembers(value)
    ? { isList, names: Object.keys(value), required: new Set(), inner: (name) => ofSample(value[name]) }
    : { ...noExpectedFields, isList };
}

const segment = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `['${name.replaceAll("'", "\\'")}']`);
const normalized = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

function exampleOf(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text;
}
