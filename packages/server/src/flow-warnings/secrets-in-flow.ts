// Finds secrets that are literals in the text of a flow instead of a placeholder or a connection.
import { describe, schemeOf, spanInText, type Diagnostic, type Field, type Fields, type MapTree, type Span, type Tree } from "@sluice/model";
import { looksSecret } from "../host/environment.ts";
import type { ServerCatalog } from "../catalog.ts";
import { isAddress } from "./addresses.ts";

type Declarations = Pick<ServerCatalog, "steps" | "connectors" | "formats">;

const maxTextLength = 100_000;

/** Warnings about secrets in options, addresses and properties of beans. */
export function secretsInFlow(tree: Tree, source: string, catalog: Declarations): readonly Diagnostic[] {
  const search = new SecretSearch(source, catalog);
  search.visit(tree, undefined);
  return search.found;
}

class SecretSearch {
  readonly found: Diagnostic[] = [];
  readonly #source: string;
  readonly #catalog: Declarations;

  constructor(source: string, catalog: Declarations) {
    this.#source = source;
    this.#catalog = catalog;
  }

  /** `key`: the name under which the value is written. */
  visit(tree: Tree, key: string | undefined): void {
    if (tree.type === "list") for (const item of tree.items) this.visit(item, key);
    if (tree.type === "scalar" && key !== undefined && isAddress(key, this.#catalog)) this.#address(tree.text ?? "", tree.span);
    if (tree.type !== "map") return;
    if (key === "beans") return this.#bean(tree);
    const declared = key === undefined ? undefined : (this.#catalog.steps.get(key)?.options ?? this.#catalog.formats.get(key)?.options);
    if (declared !== undefined) this.#options(tree, declared as Fields, `'${key as string}'`);
    const uri = tree.entries.find((entry) => entry.key === "uri")?.value;
    const scheme = uri?.type === "scalar" ? schemeOf(uri.text ?? "") : "";
    for (const { key: name, value } of tree.entries) {
      const connector = name === "parameters" ? this.#catalog.connectors.get(scheme) : undefined;
      if (connector !== undefined && value.type === "map") this.#options(value, { ...connector.path, ...connector.options } as Fields, `'${connector.scheme}'`);
      else this.visit(value, name);
    }
  }

  #options(tree: MapTree, fields: Fields, owner: string): void {
    for (const { key, value } of tree.entries)
      if (isSecret(fields, key) && value.type === "scalar" && isLiteral(value.text)) this.#report(`the secret option '${key}' of ${owner}`, value.span);
  }

  #address(text: string, span: Span): void {
    if (text.length > maxTextLength) return;
    const scheme = schemeOf(text);
    const connector = this.#catalog.connectors.get(scheme);
    const fields = { ...connector?.path, ...connector?.options } as Fields;
    this.#login(text, span);
    for (const { name, value, at } of queryOf(text))
      if (isSecret(fields, name) && isLiteral(value))
        this.#report(`the secret option '${name}' of '${connector?.scheme ?? scheme}'`, spanInText(this.#source, span, text, at));
  }

  /** `//user:password@host` */
  #login(text: string, span: Span): void {
    const [login, prefix, password] = /(\/\/[^/?#\s:@"']*:)([^/?#\s@"']+)@/.exec(text) ?? [];
    if (login === undefined || prefix === undefined || !isLiteral(password)) return;
    this.#report("the password in the address", spanInText(this.#source, span, text, text.indexOf(login) + prefix.length));
  }

  /** The properties of a Java class are not known here, so secrets are detected by name. */
  #bean(bean: MapTree): void {
    const visit = (tree: Tree, name: string): void => {
      if (tree.type === "map") for (const { key, value } of tree.entries) visit(value, key);
      else if (tree.type === "list") for (const item of tree.items) visit(item, name);
      else if (looksSecret(name) && isLiteral(tree.text)) this.#report(`the secret property '${name}' of a bean`, tree.span);
      else {
        const text = tree.text ?? "";
        this.#login(text, tree.span);
        for (const { name: option, value, at } of queryOf(text))
          if (looksSecret(option) && isLiteral(value)) this.#report(`the secret '${option}' in an address`, spanInText(this.#source, tree.span, text, at));
      }
    };
    for (const { key, value } of bean.entries) if (key === "properties" || key === "constructors") visit(value, key);
  }

  #report(what: string, span: Span): void {
    this.found.push({
      code: "secret-in-flow",
      severity: "warning",
      message: `${what} is stored in the flow as plain text`,
      path: "",
      span,
      hint: "write a placeholder such as {{db.password}} and set its value as a parameter or environment variable, or define a connection and reference it",
    });
  }
}

function isSecret(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name) && describe(fields[name] as Field<unknown>).spec.secret === true;
}

/** Not a placeholder, an expression, or a reference to a bean. */
const isLiteral = (text: string | null | undefined): boolean => text !== undefined && text !== null && text.trim() !== "" && !/\{\{|\$\{|^\s*#/.test(text);

function queryOf(uri: string): readonly { readonly name: string; readonly value: string; readonly at: number }[] {
  const start = uri.indexOf("?");
  if (start < 0) return [];
  const found: { name: string; value: string; at: number }[] = [];
  let at = start + 1;
  for (const part of uri.slice(at).split("&")) {
    const sign = part.indexOf("=");
    if (sign > 0) found.push({ name: part.slice(0, sign), value: part.slice(sign + 1), at: at + sign + 1 });
    at += part.length + 1;
  }
  return found;
}
