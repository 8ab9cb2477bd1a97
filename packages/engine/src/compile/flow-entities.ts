// Document-level entities that apply to a route.
import type { EntityNode, FlowDocument, RouteNode, Span, Values } from "@sluice/model";
import { documentStart } from "@sluice/model";
import type { routeConfigurationFields } from "../entities/route-entities.ts";
import type { OnCompletionOptions } from "./completions.ts";
import type { ErrorHandlerOptions, ErrorSources, OnExceptionOptions } from "./error-plan.ts";
import type { InterceptFromOptions, InterceptOptions, InterceptSendOptions } from "./interceptors.ts";
import { textPattern } from "./uri-pattern.ts";

type Configuration = Values<typeof routeConfigurationFields>;

/** The entities of a document that apply to one route. */
export interface RouteEntities {
  readonly errors: ErrorSources;
  readonly intercepts: readonly InterceptOptions[];
  readonly entries: readonly InterceptFromOptions[];
  readonly sends: readonly InterceptSendOptions[];
  readonly completions: readonly OnCompletionOptions[];
}

/** `holds` evaluates a precondition. */
export function entitiesOf(flow: FlowDocument, route: RouteNode, holds: (precondition: string, span: Span) => boolean): RouteEntities {
  const optionsOf = <T>(name: string): T[] => flow.entities.filter((entity) => entity.name === name).map((entity) => entity.options as T);
  const configurations = flow.entities
    .filter((entity) => entity.name === "routeConfiguration" && appliesTo(entity, route, holds))
    .map((entity) => ({ options: entity.options as Configuration, span: entity.span }));
  const documentClauses = flow.entities
    .filter(({ name }) => name === "onException")
    .map((entity) => ({ options: entity.options as OnExceptionOptions, span: entity.span }));
  const handlers = flow.entities.filter((entity) => entity.name === "errorHandler");
  const handler =
    (route.options["errorHandler"] as ErrorHandlerOptions | undefined) ??
    configurations.findLast(({ options }) => options.errorHandler !== undefined)?.options.errorHandler ??
    (handlers.at(-1)?.options as ErrorHandlerOptions | undefined);
  const unwrap = <T>(list: readonly Readonly<Record<string, unknown>>[], name: string): T[] => list.map((item) => item[name] as T);
  const fromConfigurations = <T>(name: keyof Configuration): T[] =>
    configurations.flatMap(({ options }) => unwrap<T>(options[name] as readonly Readonly<Record<string, unknown>>[], name));
  return {
    errors: {
      clauses: [
        configurations.flatMap(({ options, span }) =>
          unwrap<OnExceptionOptions>(options.onException, "onException").map((clause) => ({ options: clause, span })),
        ),
        documentClauses,
      ],
      handler,
      named: new Map(handlers.flatMap(({ options }) => namesOf(options as ErrorHandlerOptions).map((name) => [name, options as ErrorHandlerOptions] as const))),
      span: handlers.at(-1)?.span ?? route.span ?? documentStart,
    },
    intercepts: [...optionsOf<InterceptOptions>("intercept"), ...fromConfigurations<InterceptOptions>("intercept")],
    entries: [...optionsOf<InterceptFromOptions>("interceptFrom"), ...fromConfigurations<InterceptFromOptions>("interceptFrom")],
    sends: [...optionsOf<InterceptSendOptions>("interceptSendToEndpoint"), ...fromConfigurations<InterceptSendOptions>("interceptSendToEndpoint")],
    completions: [...optionsOf<OnCompletionOptions>("onCompletion"), ...fromConfigurations<OnCompletionOptions>("onCompletion")],
  };
}

function namesOf(options: ErrorHandlerOptions): string[] {
  return [options.id, options.defaultErrorHandler?.id, options.deadLetterChannel?.id, options.noErrorHandler?.id].filter((id) => id !== undefined);
}

/** A configuration without an id applies to every route of its document; with one, to the routes that name it. */
function appliesTo(entity: EntityNode, route: RouteNode, holds: (precondition: string, span: Span) => boolean): boolean {
  const { id, precondition, disabled } = entity.options as Configuration;
  if (disabled || (precondition !== undefined && !holds(precondition, entity.span))) return false;
  if (id === undefined) return true;
  const patterns = route.options["routeConfigurationId"];
  if (typeof patterns !== "string") return false;
  return patterns.split(",").some((pattern) => textPattern(pattern.trim())(id));
}
