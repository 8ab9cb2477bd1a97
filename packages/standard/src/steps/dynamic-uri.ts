// URIs that are made per message, and the one decision about those that lead nowhere.
import type { Compiler, Exchange, Expression } from "@sluice/engine/spi";
import { f, type Span } from "@sluice/model";
import { template } from "./template.ts";

export const dynamicFields = {
  allowedSchemes: f.string({
    doc: "Comma list of the only connectors the address may lead to, e.g. `direct,seda`; recommended when it comes from the message.",
  }),
  cacheSize: f.integer({
    doc: "Accepted without effect: the runtime decides how many endpoints it keeps.",
    group: "advanced",
  }),
};

/** The URI of `uri` plus `parameters` as one text, and what the author wrote of it. */
export function dynamicUri(
  uri: string,
  parameters: Readonly<Record<string, string>>,
  compiler: Compiler,
  span: Span,
): { readonly text: Expression<string>; readonly template: string } {
  const address = template(uri, compiler, span);
  const names = Object.keys(parameters);
  if (names.length === 0) return { text: (exchange) => address(exchange).trim(), template: uri };
  const options = names.map((name) => ({
    name,
    value: template(parameters[name] as string, compiler, span),
  }));
  const written = names.map((name) => `${name}=${parameters[name] as string}`).join("&");
  return {
    template: `${uri}?${written}`,
    text: (exchange) => `${address(exchange).trim()}?${options.map(({ name, value }) => `${name}=${encode(value(exchange))}`).join("&")}`,
  };
}

const plain = /^[A-Za-z0-9_.~/:,@-]*$/;

/** An option's value must not grow further options, whatever the message puts in it. */
function encode(value: string): string {
  return plain.test(value) || value.startsWith("RAW(") || value.startsWith("#") ? value : encodeURIComponent(value);
}

/** Finds what a URI leads to, or nothing when it leads nowhere and that is to be ignored; a scheme that is not allowed is never ignored. */
export function outletFinder<T>(find: (uri: string, exchange: Exchange) => T, ignoreInvalid: boolean): (uri: string, exchange: Exchange) => T | undefined {
  if (!ignoreInvalid) return find;
  return (uri, exchange) => {
    try {
      return find(uri, exchange);
    } catch (thrown) {
      if ((thrown as { readonly code?: string }).code === "endpoint-refused") throw thrown;
      return undefined;
    }
  };
}

/** `direct:x` as properties show it: `direct://x`. */
export function normalUri(uri: string): string {
  return uri.replace(/^([a-z][\w.+-]*):(?!\/\/)/i, "$1://");
}
