// The rest DSL: each verb is a route from an HTTP path to the endpoint its `to` names.
import { CompileError, type EntityDeclaration, type EntityExpansion } from "@sluice/engine/spi";
import { f, type EntityNode, type RouteNode, type StepNode, type Values } from "@sluice/model";
import { restConfigurationFields } from "./rest-configuration.ts";

const text = (doc: string) => f.string({ doc, group: "advanced" });

const param = f.object(
  {
    name: f.string({ doc: "Name of the parameter.", required: true }),
    type: f.string({ doc: "Where it stands: path, query, header or body.", default: "path" }),
    dataType: f.string({ doc: "Its type, for the API description." }),
    required: f.boolean({ doc: "Whether a request must have it.", default: true }),
    defaultValue: f.string({ doc: "Value when it is absent." }),
    description: f.string({ doc: "For readers." }),
    allowableValues: f.list(f.object({ value: f.string({ doc: "A value." }) }, { doc: "A value.", shorthand: "value" }), { doc: "The values it may have." }),
    arrayType: text("Type of the items, for the API description."),
    collectionFormat: text("How lists are written, for the API description."),
    dataFormat: text("Format, for the API description."),
    examples: text("Examples, for the API description."),
  },
  { doc: "One parameter.", required: true },
);

const responseMessage = f.object(
  {
    code: f.string({ doc: "Status code.", default: "200" }),
    message: f.string({ doc: "What it means.", default: "success" }),
    responseModel: text("Body, for the API description."),
    header: f.list(
      f.object(
        { name: f.string({ doc: "Name." }), description: f.string({ doc: "For readers." }), dataType: f.string({ doc: "Type." }) },
        { doc: "A header." },
      ),
      { doc: "Headers." },
    ),
    examples: text("Examples, for the API description."),
  },
  { doc: "One response.", required: true },
);

const verbFields = {
  id: f.string({ doc: "Id of the route this verb makes." }),
  path: f.string({ doc: "Path below the path of the rest service; `{name}` segments become headers.", default: "" }),
  to: f.object(
    { uri: f.uri({ doc: "Endpoint that answers.", required: true }), parameters: f.parameters({ doc: "Its options.", default: {} }) },
    { doc: "What answers.", required: true, shorthand: "uri" },
  ),
  description: f.string({ doc: "For readers and the API description." }),
  note: f.string({ doc: "For readers." }),
  consumes: f.string({ doc: "Content type of requests." }),
  produces: f.string({ doc: "Content type of replies." }),
  param: f.list(param, { doc: "Parameters, for the API description.", default: [] }),
  responseMessage: f.list(responseMessage, { doc: "Replies, for the API description.", default: [] }),
  security: f.list(f.object({ key: f.string({ doc: "Name." }), scopes: f.string({ doc: "Scopes." }) }, { doc: "A security requirement." }), {
    doc: "Security, for the API description.",
  }),
  apiDocs: text("Whether it is in the API description."),
  bindingMode: text("Accepted; bodies are converted on demand."),
  clientRequestValidation: text("Accepted."),
  clientResponseValidation: text("Accepted."),
  deprecated: f.boolean({ doc: "Marked as deprecated in the API description.", default: false }),
  disabled: f.boolean({ doc: "Leaves it out.", default: false }),
  enableCORS: text("Accepted; use the flow's access policy for CORS."),
  enableNoContentResponse: text("Accepted."),
  outType: text("Accepted."),
  type: text("Accepted."),
  routeId: f.string({ doc: "Id of the route this verb makes." }),
  skipBindingOnErrorCode: text("Accepted."),
  streamCache: text("Accepted."),
} as const;

const verbs = ["get", "post", "put", "patch", "delete", "head"] as const;
const verbList = (verb: string) =>
  f.list(f.object(verbFields, { doc: `One ${verb} operation.`, required: true }), { doc: `The ${verb} operations.`, default: [] });

const restFields = {
  id: f.string({ doc: "Name of the service." }),
  path: f.string({ doc: "Path all operations stand below.", default: "" }),
  description: f.string({ doc: "For readers and the API description." }),
  note: f.string({ doc: "For readers." }),
  disabled: f.boolean({ doc: "Leaves it out.", default: false }),
  consumes: f.string({ doc: "Content type of requests." }),
  produces: f.string({ doc: "Content type of replies." }),
  tag: text("Tag, for the API description."),
  apiDocs: text("Whether it is in the API description."),
  bindingMode: text("Accepted; bodies are converted on demand."),
  clientRequestValidation: text("Accepted."),
  clientResponseValidation: text("Accepted."),
  enableCORS: text("Accepted; use the flow's access policy for CORS."),
  enableNoContentResponse: text("Accepted."),
  skipBindingOnErrorCode: text("Accepted."),
  get: verbList("get"),
  post: verbList("post"),
  put: verbList("put"),
  patch: verbList("patch"),
  delete: verbList("delete"),
  head: verbList("head"),
} as const;

type Verb = Values<typeof verbFields>;

export const rest: EntityDeclaration = {
  name: "rest",
  title: "Rest service",
  summary: "HTTP operations by verb and path, each answered by an endpoint.",
  group: "routing",
  since: "0.1",
  options: restFields,
  expand(node, document) {
    const options = node.options as Values<typeof restFields>;
    if (options.disabled) return [];
    const base = join(contextPath(document), options.path);
    const routes = verbs.flatMap((verb) =>
      options[verb].filter(({ disabled }) => !disabled).map((operation, index) => route(verb, operation, index, base, node, document.flowId)),
    );
    assertOneVerbPerTarget(routes);
    return routes;
  },
};

function route(verb: string, operation: Verb, index: number, base: string, node: EntityNode, flowId: string): RouteNode {
  const { span } = node;
  const id = operation.routeId ?? operation.id ?? `${flowId}-rest-${verb}-${slug(join(base, operation.path))}${index === 0 ? "" : `-${index + 1}`}`;
  const answer: StepNode = { id: "to1", name: "to", options: { uri: operation.to.uri, parameters: operation.to.parameters }, span };
  const parameters = {
    httpMethodRestrict: verb.toUpperCase(),
    ...(operation.consumes === undefined ? {} : { consumes: operation.consumes }),
    ...(operation.produces === undefined ? {} : { produces: operation.produces }),
  };
  return {
    id,
    from: { uri: `platform-http:${join(base, operation.path)}`, parameters, span },
    fromOptions: {},
    steps: [answer],
    options: operation.description === undefined ? {} : { description: operation.description },
    span,
  };
}

function assertOneVerbPerTarget(routes: readonly RouteNode[]): void {
  const seen = new Set<string>();
  for (const { steps } of routes) {
    const target = String(steps[0]?.options["uri"]);
    if (seen.has(target))
      throw new CompileError("rest-target-twice", `two operations of rest go to '${target}': one target may be used by one verb only`, {
        hint: "give each operation a route of its own",
      });
    seen.add(target);
  }
}

function contextPath({ entities }: EntityExpansion): string {
  const configuration = entities.findLast(({ name }) => name === "restConfiguration")?.options as Values<typeof restConfigurationFields> | undefined;
  return configuration?.contextPath ?? "";
}

function join(...parts: readonly string[]): string {
  const path = parts
    .map((part) => part.replaceAll(/^\/+|\/+$/g, ""))
    .filter((part) => part !== "")
    .join("/");
  return `/${path}`;
}

function slug(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "root";
}
