// Endpoints resolved at run time. Message content must not choose the destination. With `allowedSchemes`, the step accepts exactly the URIs with
// those schemes. Without it, a URI is accepted when its scheme is literal in the template, when the whole URI appears in the flow as a
// destination, or when the message was sent from a test session, which needs the operator's token.
import { schemeOf, type EndpointNode } from "@sluice/model";
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { CompileError, isCompileError, type DynamicEndpointOptions } from "../spi/compiler.ts";
import type { EndpointOrigin } from "../spi/connector.ts";
import type { Catalog } from "../spi/declaration.ts";
import type { EndpointCache, ResolvedEndpoint } from "./endpoint-cache.ts";
import type { FlowScope } from "./flow-scope.ts";

export interface DynamicContext<T> {
  /** Every destination written in the flow: `to` URIs and expressions. */
  readonly authored: readonly string[];
  readonly cache: EndpointCache<T>;
  open(node: EndpointNode, origin: EndpointOrigin): Omit<ResolvedEndpoint<T>, "isAllowed">;
}

/** Resolves URIs with `open` and caches the results. */
export function dynamicEndpoints<T>(options: DynamicEndpointOptions, context: DynamicContext<T>): (uri: string, exchange: Exchange) => T {
  const { cache } = context;
  const literal = literalPrefix(options.template);
  const literalScheme = literalSchemeOf(literal);
  const literalAddress = isLiteralAddress(literal, options.template);
  const allowed = options.allowedSchemes?.split(",").map((scheme) => scheme.trim().toLowerCase());

  return (uri, exchange) => {
    const found = cache.get(uri);
    if (found === undefined) return resolve(uri, exchange);
    if (!found.isAllowed && !isFromTestSession(exchange)) throw messageUriError(uri);
    return found.value;
  };

  function resolve(uri: string, exchange: Exchange): T {
    const scheme = schemeOf(uri);
    if (allowed !== undefined && !allowed.includes(scheme.toLowerCase())) throw rejectedError(uri, `scheme '${scheme}' is not in allowedSchemes`);
    const isWritten = isAuthored(uri, context.authored);
    const isAllowed = allowed !== undefined || scheme === literalScheme || isWritten;
    if (!isAllowed && !isFromTestSession(exchange)) throw messageUriError(uri);
    const origin = {
      trusted: isWritten || (literalAddress && scheme === literalScheme),
      authored: isWritten || literal === options.template,
      literalScheme: isWritten || scheme === literalScheme,
    };
    const endpoint = openOrFail(context, { uri, parameters: {}, span: options.span }, origin);
    cache.add(uri, { ...endpoint, isAllowed });
    return endpoint.value;
  }
}

function messageUriError(uri: string): FlowError {
  return rejectedError(uri, "it came from the message; add its scheme to allowedSchemes to allow this");
}

/** True when the message was sent from a test session, not by an external caller. */
function isFromTestSession({ run: { root } }: Exchange): boolean {
  return root.session !== undefined && root.trigger.method === undefined;
}

function openOrFail<T>(context: DynamicContext<T>, node: EndpointNode, origin: EndpointOrigin): Omit<ResolvedEndpoint<T>, "isAllowed"> {
  try {
    return context.open(node, origin);
  } catch (error) {
    if (!isCompileError(error)) throw error;
    const type =
      error.code === "connector-unknown" || error.code === "endpoint-invalid"
        ? "org.apache.camel.NoSuchEndpointException"
        : "org.apache.camel.ResolveEndpointFailedException";
    if (error.code === "endpoint-refused") throw rejectedError(node.uri, error.message);
    throw new FlowError(type, `No endpoint could be found for: ${node.uri}, ${error.message}`, { code: error.code });
  }
}

function rejectedError(uri: string, reason: string): FlowError {
  return new FlowError("org.apache.camel.ResolveEndpointFailedException", `endpoint '${uri.slice(0, 200)}' is rejected: ${reason}`, {
    code: "endpoint-refused",
  });
}

/** Records the connectors that an endpoint with these options may use and that are not loaded yet. */
export function recordUnloaded(options: DynamicEndpointOptions, { catalog: { index }, authored, unloaded }: FlowScope): void {
  if (index === undefined) return;
  const writtenSchemes = (): Iterable<string> => authored.flatMap((text) => [...text.matchAll(/([a-z][\w.+-]*):/gi)].map(([, scheme]) => scheme as string));
  for (const name of new Set(schemesOf(options) ?? writtenSchemes())) {
    const part = { kind: "connectors", name } as const;
    if (index.isUnloaded(part)) unloaded.add(part);
  }
}

/** The schemes that a URI with these options can have; undefined when the message may choose any scheme used in the flow. */
export function schemesOf({ template, allowedSchemes }: DynamicEndpointOptions): readonly string[] | undefined {
  const literal = literalSchemeOf(literalPrefix(template));
  if (literal !== undefined) return [literal];
  return allowedSchemes?.split(",").map((scheme) => scheme.trim().toLowerCase());
}

/** The warning about an address whose host is computed, for a connector that restricts such hosts. */
export function hostCaution({ template, written }: DynamicEndpointOptions, { connectors }: Catalog): CompileError | undefined {
  const literal = literalPrefix(template);
  const scheme = literalSchemeOf(literal);
  if (scheme === undefined || written !== undefined || connectors.get(scheme)?.guardsHost !== true || isLiteralAddress(literal, template)) return undefined;
  return new CompileError("egress-denied", `the host of '${template.slice(0, 200)}' may come from the message, so calls to private addresses are rejected`, {
    hint: "write the host before the first expression, as in http://host/path, or allow private hosts with SERVICE_EGRESS_ALLOW_HOSTS",
  });
}

/** True when the host is literal, or the whole address. */
function isLiteralAddress(literal: string, template: string): boolean {
  return /^[a-z][\w.+-]*:(\/\/)?[^/?#]+[/?#]/i.test(literal) || literal === template;
}

function literalSchemeOf(literal: string): string | undefined {
  return schemeOf(literal) !== "" && literal.includes(":") ? schemeOf(literal) : undefined;
}

/** The part of a template before the first `${` or `$simple{`. */
function literalPrefix(template: string): string {
  const at = template.search(/\$(simple)?\{/);
  return (at < 0 ? template : template.slice(0, at)).trim();
}

/** True when the complete URI appears in a string of the flow. */
function isAuthored(uri: string, authored: readonly string[]): boolean {
  if (uri === "") return false;
  return authored.some((text) => {
    for (let at = text.indexOf(uri); at >= 0; at = text.indexOf(uri, at + 1)) {
      if (isEdge(text[at - 1]) && isEdge(text[at + uri.length])) return true;
    }
    return false;
  });
}

function isEdge(character: string | undefined): boolean {
  return character === undefined || /[\s,;'"|#]/.test(character);
}
