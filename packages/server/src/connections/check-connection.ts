// Checks the text of a connection document without connecting. Every diagnostic has a position.
import { closest, describe, readTree, type Diagnostic, type Field, type Fields, type MapEntry, type MapTree, type ScalarTree, type Tree } from "@sluice/model";
import { connectionMembers, maxTitleLength, referenceMembers } from "./connection-schema.ts";
import type { ConnectionTypes } from "./connection-types.ts";

export interface CheckedConnection {
  /** Undefined when the document has no usable type. */
  readonly type: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const specialKeys = referenceMembers.map((names) => names.toSorted());

/** `text` is YAML or JSON; `id` is the name of its file. */
export async function checkConnection(id: string, text: string, types: ConnectionTypes): Promise<CheckedConnection> {
  const { tree, diagnostics: syntaxErrors } = readTree(text);
  if (tree === undefined) return { type: undefined, diagnostics: syntaxErrors };
  const check = new DocumentCheck(id);
  if (tree.type !== "map") {
    check.report("document-invalid", `connection '${id}' must be a mapping with 'type' and 'values'`, tree, "add the keys 'type' and 'values'");
    return { type: undefined, diagnostics: check.diagnostics };
  }
  for (const entry of tree.entries)
    if (!connectionMembers.includes(entry.key)) check.unknown("document-invalid", `connection '${id}' has no member '${entry.key}'`, entry, connectionMembers);
  const title = valueOf(tree, "title");
  if (title !== undefined && (!isText(title) || (title.text?.length ?? 0) > maxTitleLength))
    check.report(
      "document-invalid",
      `'title' of connection '${id}' must be a string of at most ${maxTitleLength} characters`,
      title,
      "write a short title in quotes",
    );
  const type = valueOf(tree, "type");
  if (type?.type !== "scalar" || type.text === null) {
    check.report("document-invalid", `connection '${id}' has no type`, type ?? tree, `add 'type', one of ${namesOf(types)}`);
    return { type: undefined, diagnostics: check.diagnostics };
  }
  const declaration = await types.load(type.text);
  if (declaration === undefined) {
    const suggestion = closest(
      type.text,
      types.details().map((details) => details.type),
    );
    const hint = suggestion === undefined ? `use one of ${namesOf(types)}` : `did you mean '${suggestion}'?`;
    check.report("connection-unknown-type", `unknown connection type '${type.text}'`, type, hint);
    return { type: undefined, diagnostics: check.diagnostics };
  }
  const values = valueOf(tree, "values");
  if (values !== undefined && values.type !== "map")
    check.report("document-invalid", `'values' of connection '${id}' must be a mapping`, values, "write the fields below 'values'");
  else check.fields(declaration.fields as Fields, values, type);
  return { type: type.text, diagnostics: check.diagnostics };
}

const namesOf = (types: ConnectionTypes): string =>
  types
    .details()
    .map(({ type }) => type)
    .toSorted()
    .join(", ");

const valueOf = (tree: MapTree, name: string): Tree | undefined => tree.entries.find(({ key }) => key === name)?.value;

class DocumentCheck {
  readonly diagnostics: Diagnostic[] = [];
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  report(code: string, message: string, { span }: Pick<Tree, "span">, hint: string | undefined, severity: Diagnostic["severity"] = "error"): void {
    this.diagnostics.push({ code, severity, message, path: "", span, ...(hint === undefined ? {} : { hint }) });
  }

  unknown(code: string, message: string, { key, keySpan }: MapEntry, names: readonly string[]): void {
    const suggestion = closest(key, names);
    this.report(code, message, { span: keySpan }, suggestion === undefined ? `use one of ${names.join(", ")}` : `did you mean '${suggestion}'?`);
  }

  /** Checks the values. If there are none, missing fields are reported at `owner`. */
  fields(fields: Fields, values: MapTree | undefined, owner: Tree): void {
    for (const entry of values?.entries ?? []) {
      const field = Object.hasOwn(fields, entry.key) ? (fields[entry.key] as Field<unknown>) : undefined;
      if (field === undefined) this.unknown("option-unknown", `connection '${this.#id}' has no field '${entry.key}'`, entry, Object.keys(fields));
      else this.#value(entry, field);
    }
    for (const [name, field] of Object.entries(fields) as [string, Field<unknown>][])
      if (describe(field).spec.required === true && values?.entries.some(({ key }) => key === name) !== true)
        this.report("option-missing", `connection '${this.#id}' needs the field '${name}'`, values ?? owner, `add '${name}' below 'values'`);
  }

  #value({ key, value }: MapEntry, field: Field<unknown>): void {
    const { spec, fields } = describe(field);
    if (isSpecialValue(value)) {
      if (value.type === "map" && valueOf(value, "value") !== undefined) this.#secret(key, value);
      return;
    }
    if (fields !== undefined && value.type === "map") return this.fields(fields, value, value);
    const text = textOf(value);
    const parsed = field.safeParse(text);
    if (!parsed.success)
      this.report("option-invalid", `field '${key}' of connection '${this.#id}': ${parsed.error.issues[0]?.message ?? "is invalid"}`, value, undefined);
    else if (spec.secret === true && text !== "") this.#secret(key, value);
  }

  #secret(name: string, value: Tree): void {
    const hint = `write ${name}: {env: NAME} for an environment variable, or {file: name} for a file below SERVICE_SECRETS_DIR`;
    this.report("secret-in-connection", `the secret '${name}' of connection '${this.#id}' is in the file as plain text`, value, hint, "warning");
  }
}

/** True for `{env: …}`, `{file: …}` and `{value: …, secret: true}`. */
function isSpecialValue(value: Tree): boolean {
  if (value.type !== "map") return false;
  const keys = value.entries.map(({ key }) => key).toSorted();
  if (!value.entries.every(({ key, value: member }) => isReferenceMember(key, member))) return false;
  return specialKeys.some((names) => names.length === keys.length && names.every((name, index) => keys[index] === name));
}

function isReferenceMember(name: string, value: Tree): boolean {
  if (name === "secret") return value.type === "scalar" && !value.quoted && value.text === "true";
  return name === "value" ? value.type === "scalar" && value.text !== null : isText(value);
}

/** True for text; a number or `true` without quotes is none. */
const isText = (value: Tree): value is ScalarTree =>
  value.type === "scalar" && value.text !== null && (value.quoted || !/^(true|false|[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i.test(value.text));

/** The value as a field reads it: text, a list or a mapping. */
function textOf(value: Tree): unknown {
  if (value.type === "scalar") return value.text;
  return value.type === "list" ? value.items.map(textOf) : {};
}
