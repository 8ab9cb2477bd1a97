// URIs that are evaluated per message, and the handling of invalid ones.
import type { Compiler, Exchange, Expression } from "@sluice/engine/spi";
import { f, type ExpressionNode, type Span } from "@sluice/model";
import { addressTemplate, encodeOption } from "./address-template.ts";
import { isTemplate, template } from "./template.ts";
import { uriList } from "./uri-list.ts";

export const dynamicFields = {
  allowedSchemes: f.string({
    doc: "Connectors the address may use, separated by commas, such as `direct,seda`. Required when the scheme of the address comes from the message, unless the complete address is also written in the flow.",
  }),
  cacheSize: f.integer({
    doc: "Accepted but ignored: a step caches the 1,000 most recently used endpoints and stops those unused for five minutes.",
    group: "advanced",
  }),
};

/** The URI with its parameters: as a string evaluated per message, and as the template that the author wrote. */
export function dynamicUri(
  uri: string,
  parameters: Readonly<Record<string, string>>,
  compiler: Compiler,
  span: Span,
): Addresses & { readonly text: Expression<string> } {
  const address = isTemplate(uri) ? addressTemplate(uri, compiler, span) : () => uri;
  const names = Object.keys(parameters);
  if (names.length === 0) return { text: (exchange) => address(exchange).trim(), template: uri, ...(isTemplate(uri) ? {} : { written: [uri] }) };
  const options = names.map((name) => ({ name, value: optionValue(parameters[name] as string, compiler, span) }));
  const query = names.map((name) => `${name}=${parameters[name] as string}`).join("&");
  return {
    template: `${uri}?${query}`,
    text: (exchange) => `${address(exchange).trim()}?${options.map(({ name, value }) => `${name}=${value(exchange)}`).join("&")}`,
  };
}

const safeText = /^[A-Za-z0-9_.~/:,@-]*$/;

/** Literals keep their syntax (`RAW(…)`, `#bean`); values of expressions are always plain text. */
function optionValue(written: string, compiler: Compiler, span: Span): Expression<string> {
  if (!isTemplate(written)) {
    const value = safeText.test(written) || written.startsWith("RAW(") || written.startsWith("#") ? written : encodeOption(written);
    return () => value;
  }
  const raw = /^RAW\(([^]*)\)$/.exec(written)?.[1];
  const value = template(raw ?? written, compiler, span);
  return (exchange) => encodeOption(value(exchange));
}

/** Compiles an expression that yields one or more addresses. */
export function addressExpression(node: ExpressionNode, compiler: Compiler, delimiter?: string): Expression {
  const isPlain = node.language === "simple" && Object.keys(node.options).length === 0;
  return isPlain && isTemplate(node.text) && !/^\$(?:simple)?\{[^{}]*\}$/.test(node.text.trim())
    ? addressTemplate(node.text, compiler, node.span, delimiter)
    : compiler.expression(node);
}

/** What the flow contains of an address or a list of them. */
interface Addresses {
  readonly template: string;
  /** The addresses, if they are the same for every message. */
  readonly written?: readonly string[];
}

export function addressesOf({ language, text }: ExpressionNode, delimiter?: string): Addresses {
  const isWritten = (language === "constant" || language === "simple") && !text.includes("$") && text.trim() !== "" && !text.startsWith("resource:");
  return isWritten ? { template: text, written: delimiter === undefined ? [text.trim()] : uriList(text, delimiter) } : { template: text };
}

/** With `ignoreInvalid`, invalid addresses are not errors in the flow. */
export const given = ({ template, written }: Addresses, ignoreInvalid = false): Addresses =>
  written === undefined || ignoreInvalid ? { template } : { template, written };

/** Finds the endpoint of a URI; undefined when it is invalid and `ignoreInvalid` is set. A scheme that is not allowed always fails. */
export function outletFinder<T>(find: (uri: string, exchange: Exchange) => T, ignoreInvalid: boolean): (uri: string, exchange: Exchange) => T | undefined {
  if (!ignoreInvalid) return find;
  return (uri, exchange) => {
    try {
      return find(uri, exchange);
    } catch (error) {
      if ((error as { readonly code?: string }).code === "endpoint-refused") throw error;
      return undefined;
    }
  };
}

/** The form used in exchange properties: `direct://x` for `direct:x`. */
export function normalUri(uri: string): string {
  return uri.replace(/^([a-z][\w.+-]*):(?!\/\/)/i, "$1://");
}
