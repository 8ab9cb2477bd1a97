// Finds the saved connection of an endpoint, with the same precedence as the runtime, and writes a chosen name into a value.
import type { ConnectionSummary } from "@sluice/client";
import type { ConnectionTypeView, ConnectorView, OptionView } from "@sluice/model";

export interface WrittenEndpoint {
  readonly connector: ConnectorView;
  /** Values of its options and of the parts of its path. */
  readonly values: ReadonlyMap<string, string>;
  /** Beans of the flow that describe a connection: only the runtime of the flow can open them. */
  readonly beans: readonly string[];
}

/** The name in a reference: `#orders`, `#bean:orders` and `orders` name the same connection. */
export const nameIn = (reference: string): string => reference.replace(/^#(?:bean:)?/, "");

/** The saved connection of the endpoint, if its server can list the names of an option. */
export function browsedConnection(
  { connector, values, beans }: WrittenEndpoint,
  { browse }: OptionView,
  connections: readonly ConnectionSummary[],
  types: readonly ConnectionTypeView[],
): ConnectionSummary | undefined {
  const option = [...connector.path, ...connector.options].find(({ connection }) => connection !== undefined);
  if (browse === undefined || option === undefined) return undefined;
  const matchingTypes = types.filter(({ kinds }) => kinds.some((kind) => option.connection?.includes(kind)));
  const usable = connections.filter(({ type }) => matchingTypes.some((candidate) => candidate.type === type));
  const found = resolve(values.get(option.name));
  return matchingTypes.find(({ type }) => type === found?.type)?.browses.includes(browse.what) === true ? found : undefined;

  function resolve(reference: string | undefined): ConnectionSummary | undefined {
    if (reference !== undefined && reference !== "") {
      const name = nameIn(reference);
      return beans.includes(name) ? undefined : usable.find(({ id }) => id === name);
    }
    // An address in the endpoint itself takes precedence over the only connection.
    const isInline = matchingTypes.some(({ fields }) => fields.some(({ name }) => values.has(name)));
    return isInline || usable.length !== 1 ? undefined : usable[0];
  }
}

/** The text with a name inserted at the caret. A caret at the start means that the field never had the focus: the name is then appended. */
export function withName(text: string, caret: number, name: string): string {
  const at = caret === 0 ? text.length : caret;
  const before = text.slice(0, at);
  return `${before}${before === "" || /[\s.,(:"'`]$/.test(before) ? "" : " "}${name}${text.slice(at)}`;
}

/** The URI with this text as its path; `%` and `?` are escaped. */
export function withPath(uri: string, text: string): string {
  const [, scheme = "", query = ""] = /^([^:?]*)[^?]*(\?.*)?$/s.exec(uri) ?? [];
  return `${scheme}:${text.replaceAll("%", "%25").replaceAll("?", "%3F")}${query}`;
}
