// The REST configuration of a document. With `apiContextPath`, it adds a route that serves the OpenAPI document of the REST services.
import type { EntityDeclaration } from "@sluice/engine/spi";
import { f, parseQuery, type EntityNode, type RouteNode, type Span, type StepNode, type Values } from "@sluice/model";
import { apiDocument } from "./rest-api-document.ts";
import { bindingModeDoc, verbs, type restFields } from "./rest-fields.ts";
import { operationParameters, pairsOf } from "./rest-operation.ts";
import { joinPath } from "./rest-path.ts";

const text = (doc = "Accepted but ignored.") => f.string({ doc, group: "advanced" });

const pairs = (doc: string) => f.list(f.object({ key: text("Name."), value: text("Value.") }, { doc: "A name and its value." }), { doc, group: "advanced" });

export const restConfigurationFields = {
  contextPath: f.string({ doc: "Base path of all REST services of the document." }),
  component: text("Accepted but ignored: the runtime serves REST itself."),
  consumerComponent: text(),
  producerComponent: text(),
  producerApiDoc: text(),
  scheme: text("Accepted but ignored: the scheme of the runtime is used."),
  host: text("Accepted but ignored: the host of the runtime is used."),
  port: text("Accepted but ignored: the port of the runtime is used."),
  apiHost: text(),
  apiContextPath: f.string({ doc: "Path at which the OpenAPI document of the REST services of this flow is served, as JSON.", examples: ["/api-doc"] }),
  apiContextRouteId: f.string({ doc: "Id of the route that serves the OpenAPI document.", group: "advanced" }),
  apiVendorExtension: text(),
  apiComponent: text(),
  hostNameResolver: text(),
  bindingMode: text(bindingModeDoc),
  bindingPackageScan: text(),
  skipBindingOnErrorCode: text(),
  clientRequestValidation: text("If true, checks requests against the declared parameters and the type in `produces`."),
  clientResponseValidation: text(),
  enableCORS: text("If true, allows cross-origin requests; an access policy can restrict the origins."),
  enableNoContentResponse: text(),
  inlineRoutes: text(),
  jsonDataFormat: text(),
  xmlDataFormat: text(),
  useXForwardHeaders: text(),
  apiProperty: pairs(
    "Metadata of the OpenAPI document: `api.title`, `api.version`, `api.description`, `api.termsOfService`, `api.contact.name`, `api.contact.url`, `api.contact.email`, `api.license.name` and `api.license.url`.",
  ),
  componentProperty: pairs("Accepted but ignored."),
  consumerProperty: pairs("Accepted but ignored."),
  endpointProperty: pairs("Accepted but ignored."),
  dataFormatProperty: pairs("Accepted but ignored."),
  corsHeaders: pairs("With enableCORS, headers that replace the defaults."),
  validationLevels: pairs("Accepted but ignored."),
} as const;

export const restConfiguration: EntityDeclaration = {
  name: "restConfiguration",
  title: "REST configuration",
  summary: "Settings of all REST services of the document.",
  group: "routing",
  since: "0.1",
  options: restConfigurationFields,
  adapt(node, route, { entities }) {
    return isInEffect(node, entities) ? withConfiguration(route, node.options as Values<typeof restConfigurationFields>) : route;
  },
  expand(node, { flowId, entities }) {
    const configuration = node.options as Values<typeof restConfigurationFields>;
    if (!isInEffect(node, entities) || configuration.apiContextPath === undefined) return [];
    const services = entities.filter(({ name }) => name === "rest").map(({ options }) => options as Values<typeof restFields>);
    const contextPath = configuration.contextPath ?? "";
    const properties = pairsOf(configuration.apiProperty);
    const json = JSON.stringify(apiDocument({ title: flowId, contextPath, properties, services, methods: verbs }));
    const path = joinPath(contextPath, configuration.apiContextPath);
    const route = { id: configuration.apiContextRouteId ?? `${flowId}-rest-api`, path, parameters: parametersOf(configuration) };
    return [documentRoute(node.span, route, json)];
  },
};

/** The last configuration of a document replaces the others. */
const isInEffect = (node: EntityNode, entities: readonly EntityNode[]): boolean => entities.findLast(({ name }) => name === node.name) === node;

/** A route from `rest:` with the context path, and with the settings of the configuration that the endpoint does not override. */
function withConfiguration(route: RouteNode, configuration: Values<typeof restConfigurationFields>): RouteNode {
  const { uri, parameters } = route.from;
  const [, head, path = "", query = ""] = /^(rest:[^:?]+:)([^?]*)(?:\?(.*))?$/s.exec(uri.trim()) ?? [];
  const pathParameter = head === undefined && uri.trim() === "rest" ? parameters["path"] : undefined;
  if (head === undefined && pathParameter === undefined) return route;
  const fullPath = joinPath(configuration.contextPath ?? "", pathParameter ?? path);
  const written = { ...Object.fromEntries(parseQuery(query).options.map(({ name, value }) => [name, value])), ...parameters };
  const configured = operationParameters({ param: [], ...written }, {}, configuration);
  const from =
    head === undefined
      ? { uri, parameters: { ...configured, ...written, path: fullPath } }
      : { uri: `${head}${fullPath}`, parameters: { ...configured, ...written } };
  return { ...route, from: { ...route.from, ...from } };
}

/** Also serves paths below `apiContextPath`, because clients request `openapi.json` or, as JSON is valid YAML, `openapi.yaml`. */
function parametersOf(configuration: Values<typeof restConfigurationFields>): Record<string, string> {
  const configured = operationParameters({ param: [] }, {}, { ...configuration, bindingMode: undefined });
  return { ...configured, httpMethodRestrict: "GET", matchOnUriPrefix: "true" };
}

interface DocumentRoute {
  readonly id: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

function documentRoute(span: Span, { id, path, parameters }: DocumentRoute, json: string): RouteNode {
  const constant = (text: string) => ({ language: "constant", text, options: {}, span });
  const steps: readonly StepNode[] = [
    { id: "document", name: "setBody", options: { expression: constant(json) }, span },
    { id: "type", name: "setHeader", options: { name: "Content-Type", expression: constant("application/json") }, span },
  ];
  const options = { description: "The OpenAPI document of the REST services." };
  return { id, from: { uri: `platform-http:${path}`, parameters, span }, fromOptions: {}, steps, options, span };
}
