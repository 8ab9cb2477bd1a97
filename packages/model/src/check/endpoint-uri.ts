// Binds an endpoint's URI and parameters as its connector declares them.
import type { EndpointNode } from "../flow/flow-document.ts";
import { describe } from "../schema/field.ts";
import type { Field, Fields } from "../schema/field.ts";
import { closest, misspelled, related } from "./did-you-mean.ts";
import { joinPath, readSyntax, splitPath } from "./endpoint-path.ts";
import { decodePercent, parseQuery, unwrapRaw } from "./endpoint-query.ts";

export interface EndpointShape {
  readonly scheme: string;
  /** How the path is written, e.g. `timer:name` or `http://host:port/path`. */
  readonly syntax: string;
  readonly path: Fields;
  readonly options: Fields;
  /** Unknown options are part of the address. */
  readonly lenient?: boolean;
  /** Part of the query came from a message: a name similar to that of an option is a parameter like any other. */
  readonly isComputed?: boolean;
  /** Prefixes of options whose full names the author chooses, such as `arg.`; their values are in `extra`. */
  readonly prefixes?: readonly string[];
  /** Defaults that override those of the declaration. The uri does not show them. */
  readonly defaults?: Readonly<Record<string, string>>;
}

export interface EndpointProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** The option that the problem concerns. */
  readonly option?: string;
}

export interface BoundEndpoint {
  /** Path parts and options, coerced, with defaults. */
  readonly values: Record<string, unknown>;
  /** For lenient connectors and those with prefixes: options the declaration does not define, in order. */
  readonly extra: Record<string, string>;
  /** The path as written, or built from the parameters. */
  readonly path: string;
  /** Short normal form with sorted options, secrets masked: safe to show. */
  readonly uri: string;
  readonly problems: readonly EndpointProblem[];
}

const mask = "xxxxxx";
const secretName = /passw|passphrase|secret|token|api-?_?key|access-?_?key|private-?_?key|credential/i;

/** The scheme of an endpoint URI as written; empty when there is none. */
export function schemeOf(uri: string): string {
  return /^\s*([A-Za-z][\w+.-]*)\s*(?:[:?]|$)/.exec(uri)?.[1] ?? "";
}

/** Parses an endpoint and binds its path and options. Errors are collected in `problems`; nothing is thrown. */
export function bindEndpoint(node: Pick<EndpointNode, "uri" | "parameters">, shape: EndpointShape): BoundEndpoint {
  return new EndpointBinding(node, shape).bind();
}

class EndpointBinding {
  readonly #shape: EndpointShape;
  readonly #scheme: string;
  readonly #pathText: string;
  readonly #query: string;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #problems: EndpointProblem[] = [];
  readonly #values: Record<string, unknown> = {};
  readonly #extra = Object.create(null) as Record<string, string>;
  /** Options as text by declared name, for the normal form. */
  readonly #displayed = new Map<string, string>();

  constructor({ uri, parameters }: Pick<EndpointNode, "uri" | "parameters">, shape: EndpointShape) {
    this.#shape = shape;
    const text = uri.trim();
    this.#scheme = schemeOf(text) || shape.scheme;
    const rest = text.slice(this.#scheme.length).replace(/^:(\/\/)?/, "");
    const question = rest.indexOf("?");
    this.#pathText = question === -1 ? rest : rest.slice(0, question);
    this.#query = question === -1 ? "" : rest.slice(question + 1);
    this.#parameters = parameters;
  }

  bind(): BoundEndpoint {
    const options = this.#options();
    const path = this.#path(options);
    for (const [name, value] of options) this.#option(name, value);
    for (const [name, field] of Object.entries(this.#shape.options)) this.#fill(name, field);
    return { values: this.#values, extra: this.#extra, path, uri: this.#normalizedUri(path), problems: this.#problems };
  }

  #problem(code: string, message: string, hint?: string, option?: string): void {
    this.#problems.push({ code, message, ...(hint === undefined ? {} : { hint }), ...(option === undefined ? {} : { option }) });
  }

  /** Options of the query or the parameters by declared name, in order. */
  #options(): Map<string, string> {
    const { options, fault } = parseQuery(this.#query);
    if (fault !== undefined) this.#problem("endpoint-uri-invalid", `the uri of endpoint '${this.#scheme}' is not valid: ${fault}`);
    const parameters = Object.entries(this.#parameters).map(([name, value]) => ({ name, value: unwrapRaw(value) }));
    if (parameters.length > 0 && this.#query !== "") {
      this.#problem("uri-twice", `endpoint '${this.#scheme}' has options both in its uri and in 'parameters': keep one of them`);
    }
    const all = new Map<string, string>();
    for (const { name, value } of [...options, ...parameters]) {
      const option = this.#declaredName(name);
      if (all.has(option))
        this.#problem("endpoint-option-duplicate", `endpoint '${this.#scheme}' has the option '${option.slice(0, 60)}' twice: keep one of them`);
      all.set(option, value);
    }
    return all;
  }

  #declaredName(name: string): string {
    if (Object.hasOwn(this.#shape.options, name) || Object.hasOwn(this.#shape.path, name)) return name;
    const camel = name.replaceAll(/-([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
    return Object.hasOwn(this.#shape.options, camel) || Object.hasOwn(this.#shape.path, camel) ? camel : name;
  }

  /** Binds the path's parts, from the uri or, when it has none, from the parameters, which are removed from `options`. */
  #path(options: Map<string, string>): string {
    const { path: fields, syntax, lenient } = this.#shape;
    const pattern = readSyntax(syntax);
    const names = Object.keys(fields);
    const only = names.length === 1 ? (names[0] as string) : undefined;
    const parts = only !== undefined ? (this.#pathText === "" ? {} : { [only]: this.#pathText }) : splitPath(this.#pathText, pattern);
    const fromOptions = names.filter((name) => options.has(name) && !Object.hasOwn(this.#shape.options, name));
    const texts = Object.assign(Object.create(null) as Record<string, string>, parts);
    for (const name of names) if (texts[name] !== undefined && lenient !== true) texts[name] = decodePercent(texts[name], false);
    for (const name of fromOptions) {
      if (texts[name] !== undefined)
        this.#problem("endpoint-option-duplicate", `endpoint '${this.#scheme}' has '${name}' both in its path and in its options: keep one of them`);
      texts[name] = options.get(name) as string;
      options.delete(name);
    }
    for (const name of names) this.#part(name, fields[name] as Field<unknown>, texts[name]);
    if (fromOptions.length === 0) return this.#pathText;
    return only !== undefined ? (texts[only] as string) : joinPath(texts, pattern);
  }

  #part(name: string, field: Field<unknown>, text: string | undefined): void {
    if (text !== undefined) return this.#read(name, field, text);
    this.#fill(name, field);
  }

  #option(name: string, value: string): void {
    const field = Object.hasOwn(this.#shape.options, name) ? this.#shape.options[name] : undefined;
    if (field !== undefined) {
      const { secret, unsupported } = describe(field).spec;
      this.#displayed.set(name, secret === true ? mask : value);
      if (unsupported !== undefined)
        return this.#problem("refused", `option '${name}' of endpoint '${this.#scheme}' is not supported: ${unsupported}`, undefined, name);
      return this.#read(name, field, value);
    }
    const meant = this.#shape.lenient === true && this.#shape.isComputed !== true ? misspelled(name, Object.keys(this.#shape.options)) : undefined;
    if (meant !== undefined) {
      const hint = `did you mean '${meant}'?`;
      return this.#problem("endpoint-option-unknown", `endpoint '${this.#scheme}' has no option '${name.slice(0, 60)}' (${hint})`, hint, name);
    }
    if (this.#shape.lenient === true || this.#shape.prefixes?.some((prefix) => name.startsWith(prefix)) === true) {
      this.#extra[name] = value;
      this.#displayed.set(name, secretName.test(name) ? mask : value);
      return;
    }
    const hint = this.#optionHint(name);
    this.#problem(
      "endpoint-option-unknown",
      `endpoint '${this.#scheme}' has no option '${name.slice(0, 60)}'${hint === undefined ? "" : ` (${hint})`}`,
      hint,
      name,
    );
  }

  /** The option that was probably meant, or else the supported options. */
  #optionHint(name: string): string | undefined {
    const { path, options } = this.#shape;
    const supported = Object.entries(options).flatMap(([option, field]) => (describe(field).spec.unsupported === undefined ? [option] : []));
    const names = [...Object.keys(path), ...supported];
    const suggestion = closest(name, [...Object.keys(path), ...Object.keys(options)]) ?? related(name, names);
    if (suggestion !== undefined) return `did you mean '${suggestion}'?`;
    return names.length === 0 ? undefined : `allowed: ${listNames(names.toSorted())}`;
  }

  #read(name: string, field: Field<unknown>, text: string): void {
    const { kind, item, spec } = describe(field);
    const result = kind === "list" && item !== undefined ? readList(item, text) : field.safeParse(text);
    if (result.success) {
      this.#values[name] = result.data;
      return;
    }
    const reason = spec.secret === true ? "the value is not valid" : (result.error.issues[0]?.message ?? "the value is not valid").slice(0, 240);
    this.#problem("endpoint-option-invalid", `option '${name}' of endpoint '${this.#scheme}': ${reason}`, undefined, name);
  }

  #fill(name: string, field: Field<unknown>): void {
    if (Object.hasOwn(this.#values, name) || this.#displayed.has(name)) return;
    const fallback = this.#shape.defaults?.[name];
    if (fallback !== undefined) return this.#read(name, field, fallback);
    const { spec } = describe(field);
    if (spec.required === true) this.#missing(name);
    else if (spec.default !== undefined) this.#values[name] = spec.default;
  }

  #missing(name: string): void {
    const { path, syntax } = this.#shape;
    if (Object.hasOwn(path, name)) this.#problem("endpoint-option-missing", `endpoint '${this.#scheme}' needs '${name}'`, `write the uri as ${syntax}`);
    else this.#problem("endpoint-option-missing", `endpoint '${this.#scheme}' needs the option '${name}'`, `add ${name} to 'parameters'`);
  }

  #normalizedUri(path: string): string {
    const { opening } = readSyntax(this.#shape.syntax);
    const address = path.replace(/^([^/@:]*):([^/]*)@/, `$1:${mask}@`);
    const options = [...this.#displayed]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, value]) => `${encodeOption(name)}=${encodeOption(value)}`);
    return `${this.#scheme}${opening}${address}${options.length === 0 ? "" : `?${options.join("&")}`}`;
  }
}

const maxListLength = 200;

/** As many complete names as fit into a message, and the number of the others. */
function listNames(names: readonly string[]): string {
  let count = 0;
  for (let length = 0; count < names.length; count++) {
    length += (names[count] as string).length + 2;
    if (length > maxListLength) break;
  }
  const others = names.length - count;
  return `${names.slice(0, count).join(", ")}${others === 0 ? "" : ` and ${others} more`}`;
}

function readList(item: Field<unknown>, text: string): ReturnType<Field<unknown>["safeParse"]> {
  const results = text.split(",").map((part) => item.safeParse(part.trim()));
  return results.find((result) => !result.success) ?? { success: true, data: results.map((result) => result.data) };
}

/** Encodes only characters that would be misread, so that the uri stays readable. */
function encodeOption(text: string): string {
  return text.replaceAll(/[%&+#\s]/g, (character) => encodeURIComponent(character));
}
