// Binds a mapping by the fields of a declaration: every key must be a field, a language of the inline expression or a data format; required
// fields must be present; others take their default.
import type { MapEntry, MapTree } from "../flow/tree.ts";
import { describe } from "../schema/field.ts";
import type { FieldInfo, Fields } from "../schema/field.ts";
import { bindExpression, bindLanguage } from "./bind-expression.ts";
import { bindFormat } from "./bind-format.ts";
import { absent } from "./bind-scalar.ts";
import { bindValue } from "./bind-value.ts";
import { clip, withHint } from "./binding.ts";
import type { Binding, MapRules, Owner } from "./binding.ts";
import { closest } from "./did-you-mean.ts";
import { inCamelCase } from "./kebab-case.ts";

export function bindMap(binding: Binding, map: MapTree, fields: Fields, owner: Owner, rules: MapRules = {}): Record<string, unknown> {
  const mapBinding = new MapBinding(binding, fields, owner, rules);
  for (const entry of map.entries) mapBinding.entry(entry);
  return mapBinding.finish();
}

class MapBinding {
  readonly #binding: Binding;
  readonly #fields: Fields;
  readonly #owner: Owner;
  readonly #rules: MapRules;
  readonly #values: Record<string, unknown> = {};
  /** Fields that were written, valid or not: they are not missing. */
  readonly #writtenFields = new Set<string>();
  /** The position of each option, for errors found after all are bound. */
  readonly #positions = new Map<string, Owner>();
  /** Unknown keys; checked last, when it is clear what is missing. */
  readonly #unknownEntries: MapEntry[] = [];
  readonly #plan: FieldsPlan;
  readonly #expression: string | undefined;
  readonly #format: string | undefined;

  constructor(binding: Binding, fields: Fields, owner: Owner, rules: MapRules) {
    this.#binding = binding;
    this.#fields = fields;
    this.#owner = owner;
    this.#rules = rules;
    this.#plan = planOf(fields);
    this.#expression = this.#plan.expression;
    this.#format = this.#plan.format;
  }

  entry(written: MapEntry): void {
    const entry = this.#inCamelCase(written);
    const { key, value } = entry;
    const binding = this.#binding;
    const position = this.#at(written);
    const what = `option '${clip(key)}' of ${this.#owner.label}`;
    if (this.#expression !== undefined && (key === "expression" || key === this.#expression)) {
      return this.#bindOnce(this.#expression, entry, () => bindExpression(binding, value, position, this.#owner.label));
    }
    if (Object.hasOwn(this.#fields, key)) {
      if (this.#writtenFields.has(key)) return this.#reportTwice(written, key);
      this.#writtenFields.add(key);
      const { unsupported } = describe(this.#fields[key] as never).spec;
      if (unsupported !== undefined) return binding.report("refused", `${what}: ${unsupported}`, position);
      this.#cautionBlock(entry, position, what);
      if (key === this.#plan.parameters) this.#positions.set(key, position);
      const bound = bindValue(binding, this.#fields[key] as never, value, position, what);
      if (bound !== absent) this.#values[key] = bound;
      else if (isOptionalGap(binding, entry)) this.#writtenFields.delete(key);
      return;
    }
    if (this.#rules.ignore?.has(key)) return;
    if (this.#expression !== undefined && binding.vocabulary.languages.has(key)) {
      return this.#bindOnce(this.#expression, entry, () => bindLanguage(binding, entry, this.#owner, this.#owner.label));
    }
    if (this.#format !== undefined && binding.vocabulary.formats.has(key))
      return this.#bindOnce(this.#format, entry, () => bindFormat(binding, entry, this.#owner));
    this.#unknownEntries.push(written);
  }

  /** Option names may be written in kebab-case, as in Camel: `do-while` is `doWhile`. */
  #inCamelCase(entry: MapEntry): MapEntry {
    if (!entry.key.includes("-") || Object.hasOwn(this.#fields, entry.key)) return entry;
    return { ...entry, key: inCamelCase(entry.key) };
  }

  /** Scalars are checked where their text is read. */
  #cautionBlock({ key, value }: MapEntry, position: Owner, what: string): void {
    const caution = value.type === "scalar" ? undefined : describe(this.#fields[key] as never).spec.caution?.("");
    if (caution !== undefined) this.#binding.warn("option-caution", `${what}: ${caution}`, position);
  }

  #reportTwice(entry: MapEntry, name: string): void {
    this.#binding.report("option-twice", `${this.#owner.label} has the option '${name}' twice: keep one of them`, this.#at(entry));
  }

  /** For options with several possible keys that may appear only once: the expression and the data format. */
  #bindOnce(field: string, entry: MapEntry, bind: () => unknown): void {
    if (this.#writtenFields.has(field)) {
      const noun = field === this.#format ? "data format" : "expression";
      this.#binding.report(
        `${noun === "expression" ? "expression" : "format"}-twice`,
        `${this.#owner.label} has more than one ${noun}: keep one of them`,
        {
          path: `${this.#owner.path}.${entry.key}`,
          span: entry.keySpan,
        },
        `remove '${clip(entry.key)}' or the other one`,
      );
      return;
    }
    this.#writtenFields.add(field);
    const bound = bind();
    if (bound !== absent) this.#values[field] = bound;
  }

  #reportRefused(entry: MapEntry): boolean {
    const reason = this.#expression !== undefined || this.#format !== undefined ? this.#binding.vocabulary.refused.get(entry.key) : undefined;
    if (reason === undefined) return false;
    if (this.#expression !== undefined) this.#writtenFields.add(this.#expression);
    if (this.#format !== undefined) this.#writtenFields.add(this.#format);
    this.#binding.report("refused", reason, this.#at(entry));
    return true;
  }

  #at(entry: MapEntry): Owner {
    return { label: this.#owner.label, path: `${this.#owner.path}.${entry.key}`, span: entry.keySpan };
  }

  #unknown(entry: MapEntry): void {
    if (this.#reportRefused(entry)) return;
    const names = [...Object.keys(this.#fields), ...(this.#rules.ignore ?? [])];
    const option = closest(entry.key, names);
    if (option === undefined && this.#unknownKind(entry)) return;
    const hint = option === undefined ? `allowed: ${clip(names.toSorted().join(", "), 200)}` : `did you mean '${option}'?`;
    this.#binding.report("option-unknown", withHint(`${this.#owner.label} has no option '${clip(entry.key)}'`, hint), this.#at(entry), hint);
  }

  /** Reports an unknown key as the missing expression or data format, which it was most likely meant to be. */
  #unknownKind(entry: MapEntry): boolean {
    const { languages, formats } = this.#binding.vocabulary;
    const missing = [
      { field: this.#expression, noun: "language", names: languages },
      { field: this.#format, noun: "data format", names: formats },
    ].find(({ field }) => field !== undefined && !this.#writtenFields.has(field));
    if (missing?.field === undefined) return false;
    this.#writtenFields.add(missing.field);
    const suggestion = closest(entry.key, missing.names.keys());
    const hint = suggestion === undefined ? `known: ${clip([...missing.names.keys()].toSorted().join(", "), 200)}` : `did you mean '${suggestion}'?`;
    const code = missing.noun === "language" ? "language-unknown" : "format-unknown";
    this.#binding.report(code, withHint(`unknown ${missing.noun} '${clip(entry.key)}' in ${this.#owner.label}`, hint), this.#at(entry), hint);
    return true;
  }

  finish(): Record<string, unknown> {
    for (const entry of this.#unknownEntries) this.#unknown(entry);
    for (const { name, info } of this.#plan.requiredOrDefault) {
      if (Object.hasOwn(this.#values, name) || this.#rules.ignore?.has(name)) continue;
      if (info.spec.required === true) {
        if (!this.#writtenFields.has(name)) this.#reportMissing(name, info);
        this.#binding.incomplete.add(this.#values);
      } else if (this.#rules.defaults !== false) this.#values[name] = info.spec.default;
    }
    this.#checkUri();
    return this.#values;
  }

  #reportMissing(name: string, info: FieldInfo): void {
    const { label } = this.#owner;
    if (name === this.#expression)
      return this.#binding.report("option-missing", `${label} needs an expression, such as 'simple: …'`, this.#owner, "add a language, e.g. simple: …");
    if (info.kind === "format")
      return this.#binding.report("option-missing", `${label} needs a data format, such as 'json: {}'`, this.#owner, "add a data format, e.g. json: {}");
    this.#binding.report("option-missing", `${label} needs the option '${name}'`, this.#owner, `add '${name}'`);
  }

  #checkUri(): void {
    const { uri, parameters } = this.#plan;
    if (uri === undefined || parameters === undefined) return;
    const text = this.#values[uri];
    const parameterValues = this.#values[parameters];
    if (typeof text !== "string" || !text.includes("?") || parameterValues === undefined || Object.keys(parameterValues as object).length === 0) return;
    this.#binding.report(
      "uri-twice",
      `${this.#owner.label} has options both in its '${uri}' and in '${parameters}': keep one of them`,
      this.#positions.get(parameters) ?? this.#owner,
      `move the options after '?' into '${parameters}'`,
    );
  }
}

/** Cached metadata of a set of fields. */
interface FieldsPlan {
  readonly expression: string | undefined;
  readonly format: string | undefined;
  readonly uri: string | undefined;
  readonly parameters: string | undefined;
  /** Fields to check when they are not written: required ones and those with a default. */
  readonly requiredOrDefault: readonly { readonly name: string; readonly info: FieldInfo }[];
}

const plans = new WeakMap<Fields, FieldsPlan>();

function planOf(fields: Fields): FieldsPlan {
  const cached = plans.get(fields);
  if (cached !== undefined) return cached;
  const all = Object.entries(fields).map(([name, field]) => ({ name, info: describe(field) }));
  const nameOf = (matches: (info: FieldInfo) => boolean): string | undefined => all.find(({ info }) => matches(info))?.name;
  const plan: FieldsPlan = {
    expression: nameOf((info) => info.kind === "expression" && info.inline === true),
    format: nameOf((info) => info.kind === "format"),
    uri: nameOf((info) => info.kind === "uri"),
    parameters: nameOf((info) => info.kind === "parameters"),
    requiredOrDefault: all.filter(({ info }) => info.spec.required === true || info.spec.default !== undefined),
  };
  plans.set(fields, plan);
  return plan;
}

/** `{{?name}}` without a value: the option counts as not written, so its default or a missing-option error applies. */
function isOptionalGap(binding: Binding, entry: MapEntry): boolean {
  return entry.value.type === "scalar" && entry.value.text !== null && binding.placeholders.resolve(entry.value.text).kind === "absent";
}
