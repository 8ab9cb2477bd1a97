// Parses `kamelet:name/routeId?a=1`: the name of the Kamelet or route template, and the values of its parameters.
import { parseQuery } from "./endpoint-query.ts";

export interface KameletUse {
  readonly name: string;
  /** The part after the slash: it names the route and a set of properties, `camel.kamelet.<name>.<configuration>.<parameter>`. */
  readonly configuration?: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Describes the error in the query in one sentence. */
  readonly fault?: string;
}

/** The Kamelet or route template that an endpoint names; undefined for any other endpoint, and for `kamelet:source` and `kamelet:sink`, which are endpoints inside a template. */
export function kameletUse(uri: string, parameters: Readonly<Record<string, string>>): KameletUse | undefined {
  const { templateId, routeId, ...values } = parameters;
  const path = uri === "kamelet" ? templateId : /^kamelet:(?:\/\/)?(.+)$/s.exec(uri)?.[1];
  if (path === undefined || isTemplateEndpoint(uri)) return undefined;
  const use = namedKamelet(path, values);
  return routeId === undefined || use.configuration !== undefined ? use : { ...use, configuration: routeId };
}

/** A name with an optional query, as the step `kamelet` takes it. */
export function namedKamelet(text: string, parameters: Readonly<Record<string, string>>): KameletUse {
  const question = text.indexOf("?");
  // A name for the route may follow, as in `greet/first`.
  const [, name = "", configuration] = /^([^/]*)(?:\/(.*))?$/s.exec(question < 0 ? text : text.slice(0, question)) ?? [];
  const { options, fault } = parseQuery(question < 0 ? "" : text.slice(question + 1));
  const queryValues = Object.fromEntries(options.map((option) => [option.name, option.value]));
  return {
    name,
    ...(configuration === undefined ? {} : { configuration }),
    parameters: { ...queryValues, ...parameters },
    ...(fault === undefined ? {} : { fault }),
  };
}

/** True for `kamelet:source` and `kamelet:sink`. */
export const isTemplateEndpoint = (uri: string): boolean => /^kamelet:(?:\/\/)?(?:source|sink)(?:\?|$)/.test(uri);
