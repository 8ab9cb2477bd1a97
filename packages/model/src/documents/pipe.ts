// A pipe (`kind: Pipe`, formerly `KameletBinding`): one route from a source through steps to a sink, each a Kamelet or a URI.
import type { Diagnostic } from "../flow/diagnostic.ts";
import type { MapTree, Tree } from "../flow/tree.ts";
import { entriesOf, itemsOf, list, map, scalar, textOf, valueOf } from "./tree-parts.ts";

/** The items of a pipe's flow. */
export function pipeItems(document: Tree, report: (fault: Diagnostic) => void): readonly Tree[] {
  const spec = valueOf(document, "spec");
  const endpoint = (tree: Tree | undefined, role: string, id?: string): Endpoint | undefined => {
    const result = tree === undefined ? "it is missing" : endpointOf(tree, id);
    if (typeof result !== "string") return result;
    const at = tree ?? spec ?? document;
    report({
      code: "pipe-invalid",
      severity: "error",
      message: `${role} of the pipe cannot be used: ${result}`,
      path: "",
      span: at.span,
      hint: "write ref: {kind: Kamelet, name: …} or uri: …",
    });
    return undefined;
  };
  const source = endpoint(valueOf(spec, "source"), "'source'", "source");
  const steps = itemsOf(valueOf(spec, "steps")).map((step, index) => endpoint(step, `step ${index + 1}`, `action-${index}`));
  const sink = endpoint(valueOf(spec, "sink"), "'sink'", "sink");
  const targets = [...steps, sink].filter((to) => to !== undefined);
  if (source === undefined || targets.length <= steps.length) return [];
  const sends = targets.map((to) => map({ to: map({ ...to }, to.uri.span) }, to.uri.span));
  const span = source.uri.span;
  const route = map({ id: nameOf(document), from: map({ ...source, steps: list(sends, span) }, span) }, span);
  const handler = errorHandlerOf(valueOf(spec, "errorHandler"), endpoint);
  return [...(handler === undefined ? [] : [map({ errorHandler: handler }, handler.span)]), map({ route }, span)];
}

interface Endpoint {
  readonly uri: Tree;
  readonly parameters: Tree | undefined;
}

const nameOf = (document: Tree): Tree | undefined => valueOf(valueOf(document, "metadata"), "name");

/** The endpoint that `ref` or `uri` names, or an error message. A Kamelet gets `id`, so that properties can be set for this use of it. */
function endpointOf(tree: Tree, id: string | undefined): Endpoint | string {
  const parameters = valueOf(tree, "properties");
  const uri = valueOf(tree, "uri");
  if (uri !== undefined) return { uri, parameters };
  const ref = valueOf(tree, "ref");
  const name = textOf(valueOf(ref, "name"));
  const kind = textOf(valueOf(ref, "kind"));
  if (ref === undefined || name === undefined) return "it has neither 'ref' with a name nor 'uri'";
  if (kind === "Kamelet" || kind === undefined) return { uri: scalar(`kamelet:${name}${id === undefined ? "" : `/${id}`}`, ref.span), parameters };
  if (kind === "KafkaTopic") return { uri: scalar(`kafka:${name}`, ref.span), parameters };
  const api = textOf(valueOf(ref, "apiVersion")) ?? "";
  if (api.startsWith("messaging.knative.dev/")) return { uri: scalar(`knative:channel/${name}`, ref.span), parameters };
  if (api.startsWith("eventing.knative.dev/") && kind === "Broker") return brokerOf(name, parameters, ref);
  return `a reference to a Kubernetes resource of kind '${kind}' cannot be used outside Kubernetes`;
}

/** A broker of Knative: the property `type` is the type of its events. */
function brokerOf(name: string, parameters: Tree | undefined, ref: Tree): Endpoint {
  const type = textOf(valueOf(parameters, "type")) ?? "org.apache.camel.event";
  const others = entriesOf(parameters).filter(({ key }) => key !== "type");
  const broker = { key: "name", keySpan: ref.span, value: scalar(name, ref.span) };
  return { uri: scalar(`knative:event/${type}`, ref.span), parameters: { type: "map", entries: [...others, broker], span: ref.span } };
}

/** `none`, `log` with a redelivery policy, or `sink` as a dead-letter channel. */
function errorHandlerOf(tree: Tree | undefined, endpoint: (tree: Tree | undefined, role: string) => Endpoint | undefined): MapTree | undefined {
  if (tree === undefined) return undefined;
  const sink = valueOf(tree, "sink");
  const log = valueOf(tree, "log");
  const empty = map({}, tree.span);
  const policy = valueOf(sink ?? log, "parameters");
  const redelivery = policy === undefined ? undefined : { redeliveryPolicy: policy };
  if (sink === undefined) return map(log === undefined ? { noErrorHandler: empty } : { defaultErrorHandler: map({ ...redelivery }, tree.span) }, tree.span);
  const target = endpoint(valueOf(sink, "endpoint"), "'errorHandler.sink.endpoint'");
  if (target === undefined) return undefined;
  return map({ deadLetterChannel: map({ deadLetterUri: withQuery(target), ...redelivery }, tree.span) }, tree.span);
}

/** A dead-letter channel accepts only a URI, so its options go into the query. */
function withQuery({ uri, parameters }: Endpoint): Tree {
  const options = parameters?.type === "map" ? parameters.entries.map(({ key, value }) => `${key}=RAW(${textOf(value) ?? ""})`) : [];
  return options.length === 0 ? uri : scalar(`${textOf(uri) ?? ""}?${options.join("&")}`, uri.span);
}
