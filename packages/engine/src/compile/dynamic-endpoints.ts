// Endpoints found while running. What came with a message must not choose where it goes: a URI counts as the author's when
// its scheme is literal in the template or the whole URI stands somewhere in the flow as a destination; otherwise the step's
// `allowedSchemes` must name the scheme. Only who tests the flow by hand, with the operator's token, may name any.
import type { EndpointNode, Span } from "@sluice/model";
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { CompileError, type DynamicEndpointOptions, type Outlet } from "../spi/compiler.ts";
import { schemeOf } from "./endpoint-binder.ts";

/** Endpoints one step keeps; the one unused longest goes first. */
const keptEndpoints = 1000;

export interface DynamicContext {
  /** Every destination the author wrote: `to` URIs and the texts of expressions. */
  readonly authored: readonly string[];
  open<T>(node: EndpointNode, trusted: boolean): T;
  close(opened: unknown): void;
}

/** Finds and keeps what `open` makes of a URI. */
export function dynamicEndpoints<T extends Pick<Outlet, never>>(
  options: DynamicEndpointOptions,
  context: DynamicContext,
): (uri: string, exchange: Exchange) => T {
  const kept = new Map<string, { readonly opened: T; readonly isOpen: boolean }>();
  const literal = literalPrefix(options.template);
  const literalScheme = literalSchemeOf(literal);
  const literalAddress = /^[a-z][\w.+-]*:(\/\/)?[^/?#]+[/?#]/i.test(literal) || literal === options.template;
  const allowed = options.allowedSchemes?.split(",").map((scheme) => scheme.trim().toLowerCase());

  return (uri, exchange) => {
    const found = kept.get(uri);
    if (found === undefined) return look(uri, exchange);
    if (!found.isOpen && !isTrial(exchange)) throw fromMessage(uri);
    kept.delete(uri);
    kept.set(uri, found);
    return found.opened;
  };

  function look(uri: string, exchange: Exchange): T {
    const scheme = schemeOf(uri);
    if (allowed !== undefined && !allowed.includes(scheme.toLowerCase())) throw refused(uri, `scheme '${scheme}' is not in allowedSchemes`);
    const written = isAuthored(uri, context.authored);
    const isOpen = allowed !== undefined || scheme === literalScheme || written;
    if (!isOpen && !isTrial(exchange)) throw fromMessage(uri);
    const opened = openOrFail<T>(context, { uri, parameters: {}, span: options.span }, written || (literalAddress && scheme === literalScheme));
    if (kept.size >= keptEndpoints) {
      const [oldest] = kept;
      if (oldest !== undefined) {
        kept.delete(oldest[0]);
        context.close(oldest[1].opened);
      }
    }
    kept.set(uri, { opened, isOpen });
    return opened;
  }
}

function fromMessage(uri: string): FlowError {
  return refused(uri, "it came with the message; name its scheme in allowedSchemes if that is meant");
}

/** Sent in by a test session, not by a caller of a webhook. */
function isTrial({ run: { root } }: Exchange): boolean {
  return root.session !== undefined && root.trigger.method === undefined;
}

function openOrFail<T>(context: DynamicContext, node: { uri: string; parameters: Readonly<Record<string, string>>; span: Span }, trusted: boolean): T {
  try {
    return context.open<T>(node, trusted);
  } catch (thrown) {
    if (!(thrown instanceof CompileError)) throw thrown;
    const type =
      thrown.code === "connector-unknown" || thrown.code === "endpoint-invalid"
        ? "org.apache.camel.NoSuchEndpointException"
        : "org.apache.camel.ResolveEndpointFailedException";
    throw new FlowError(type, `No endpoint could be found for: ${node.uri}, ${thrown.message}`, { code: thrown.code });
  }
}

function refused(uri: string, reason: string): FlowError {
  return new FlowError("org.apache.camel.ResolveEndpointFailedException", `endpoint '${uri.slice(0, 200)}' is refused: ${reason}`, {
    code: "endpoint-refused",
  });
}

/** The scheme every URI of these options has, or those it may have; undefined when a message may choose any of the flow's. */
export function schemesOf({ template, allowedSchemes }: DynamicEndpointOptions): readonly string[] | undefined {
  const literal = literalSchemeOf(literalPrefix(template));
  if (literal !== undefined) return [literal];
  return allowedSchemes?.split(",").map((scheme) => scheme.trim().toLowerCase());
}

function literalSchemeOf(literal: string): string | undefined {
  return schemeOf(literal) !== "" && literal.includes(":") ? schemeOf(literal) : undefined;
}

/** What stands before the first `${` of a template. */
function literalPrefix(template: string): string {
  const at = template.search(/\$(simple)?\{/);
  return (at < 0 ? template : template.slice(0, at)).trim();
}

/** True when the URI stands as a whole in a text the author wrote. */
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
