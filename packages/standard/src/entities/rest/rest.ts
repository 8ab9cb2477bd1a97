// The REST DSL: each operation becomes a route from an HTTP path to the endpoint in its `to`.
import { CompileError, type EntityDeclaration, type EntityExpansion } from "@sluice/engine/spi";
import type { EntityNode, RouteNode, StepNode, Values } from "@sluice/model";
import type { restConfigurationFields } from "./rest-configuration.ts";
import { restFields, verbs, type verbFields } from "./rest-fields.ts";
import { operationParameters } from "./rest-operation.ts";
import { joinPath } from "./rest-path.ts";

type Verb = Values<typeof verbFields>;

export const rest: EntityDeclaration = {
  name: "rest",
  title: "REST service",
  summary: "HTTP operations by verb and path, each handled by an endpoint.",
  group: "routing",
  since: "0.1",
  options: restFields,
  expand(node, document) {
    const options = node.options as Values<typeof restFields>;
    if (options.disabled) return [];
    const base = joinPath(configurationOf(document).contextPath ?? "", options.path);
    const routes = verbs.flatMap((verb) =>
      options[verb]
        .filter(({ disabled, to }) => !disabled && !to.disabled)
        .map((operation, index) => route(verb, operation, index, { base, node, flowId: document.flowId, configuration: configurationOf(document) })),
    );
    assertUniqueDirectTargets(routes);
    return routes;
  },
};

interface Service {
  readonly base: string;
  readonly node: EntityNode;
  readonly flowId: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

function route(verb: string, operation: Verb, index: number, { base, node, flowId, configuration }: Service): RouteNode {
  const { span } = node;
  const id = operation.routeId ?? operation.id ?? `${flowId}-rest-${verb}-${slug(joinPath(base, operation.path))}${index === 0 ? "" : `-${index + 1}`}`;
  const { id: stepId = "to1", description: _description, note: _note, disabled: _disabled, ...call } = operation.to;
  const handlerStep: StepNode = { id: stepId, name: "to", options: call, span };
  const parameters = { httpMethodRestrict: verb.toUpperCase(), ...operationParameters(operation, node.options, configuration) };
  return {
    id,
    from: { uri: `platform-http:${joinPath(base, operation.path)}`, parameters, span },
    fromOptions: {},
    steps: [handlerStep],
    options: operation.description === undefined ? {} : { description: operation.description },
    span,
  };
}

function assertUniqueDirectTargets(routes: readonly RouteNode[]): void {
  const seen = new Set<string>();
  for (const { steps } of routes) {
    const target = String(steps[0]?.options["uri"]);
    // Camel inlines the route of a direct target into the operation, which works only once; other targets are called.
    if (target.startsWith("direct:") && seen.has(target))
      throw new CompileError("rest-target-twice", `two REST operations have the target '${target}', but a direct target may be used only once`, {
        hint: "give each operation its own route",
      });
    seen.add(target);
  }
}

const configurationOf = ({ entities }: EntityExpansion): Readonly<Partial<Values<typeof restConfigurationFields>>> =>
  entities.findLast(({ name }) => name === "restConfiguration")?.options ?? {};

function slug(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "root";
}
