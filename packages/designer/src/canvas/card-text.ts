// Fills the templates of declarations, such as `Set header {name}`, with the options of a step or endpoint.
import { type ConnectorView, type OptionTexts, parseQuery, readSyntax, splitPath, type StepOutline, type StepView } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";

const placeholder = /\{(\w+)(\?)?\}/g;

/** The filled template; undefined when a value that is not marked as optional is missing. */
export function fillTemplate(template: string | undefined, values: OptionTexts): string | undefined {
  let isComplete = template !== undefined;
  const text = (template ?? "").replaceAll(placeholder, (_, name: string, optional: string | undefined) => {
    const value = values[name] ?? "";
    if (value === "" && optional === undefined) isComplete = false;
    return value;
  });
  return isComplete ? text.trim() : undefined;
}

/** The text of a template without its placeholders. */
export const templateText = (template: string): string => template.replaceAll(placeholder, "").trim();

export function stepValues(step: StepOutline, view: StepView | undefined, catalog: FlowCatalog | undefined): OptionTexts {
  const { "": scalar, ...options } = step.options;
  const values: Record<string, string> = scalar === undefined ? options : { ...options, [view?.shorthand ?? "uri"]: scalar };
  for (const { name, kind } of view?.options ?? []) {
    if (kind === "expression") {
      const language = Object.keys(options).find((key) => catalog?.language(key) !== undefined);
      if (language !== undefined) {
        values[name] ??= options[language] ?? "";
        values["language"] ??= catalog?.language(language)?.title ?? language;
      }
    } else if (kind === "format") {
      const format = Object.keys(options).find((key) => catalog?.format(key) !== undefined);
      if (format !== undefined) values["format"] = catalog?.format(format)?.title ?? format;
    }
  }
  return values;
}

/** Replaces each property that has a default, such as `{{erp.url:http://erp.example}}`, with that default. */
export const withDefaults = (uri: string): string => uri.replaceAll(/\{\{[^:{}]*:([^{}]*)\}\}/g, "$1");

/** The options of an endpoint: from its parameters, its query and its path. */
export function endpointValues(uri: string, options: OptionTexts, connector: ConnectorView): OptionTexts {
  const [path = "", query = ""] = uri.split(/\?(.*)/s, 2);
  const address = path.replace(/^[a-z0-9+.-]*:?(\/\/)?/i, "");
  const slash = address.indexOf("/");
  const isUrl = path.includes("://");
  const parts = splitPath(address, readSyntax(connector.syntax));
  const fromQuery = Object.fromEntries(parseQuery(query).options.map(({ name, value }) => [name, value]));
  const first = options[connector.path[0]?.name ?? ""] ?? "";
  return {
    address: address === "" ? first : address,
    ...(isUrl ? { host: slash === -1 ? address : address.slice(0, slash), path: slash === -1 ? "/" : address.slice(slash) } : {}),
    ...options,
    ...fromQuery,
    ...parts,
  };
}
