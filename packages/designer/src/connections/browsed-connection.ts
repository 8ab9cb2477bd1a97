// Finds the saved connection of an endpoint, in the order in which the runtime does, and writes a chosen name into a value.
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

/** The connection whose server can list the names of an option; undefined when the endpoint uses none that is saved. */
export function browsedConnection(
  { connector, values, beans }: WrittenEndpoint,
  { browse }: OptionView,
  connections: readonly ConnectionSummary[],
  types: readonly ConnectionTypeView[],
): ConnectionSummary | undefined {
  const option = [...connector.path, ...connector.options].find(({ connection }) => connection !== undefined);
  if (browse === undefined || option === undefined) return undefined;
  const fitting = types.filter(({ kinds }) => kinds.some((kind) => option.connection?.includes(kind)));
  const usable = connections.filter(({ type }) => fitting.some((one) => one.type === type));
  const found = chosen(values.get(option.name));
  return fitting.find(({ type }) => type === found?.type)?.browses.includes(browse.what) === true ? found : undefined;

  function chosen(reference: string | undefined): ConnectionSummary | undefined {
    if (reference !== undefined && reference !== "") {
      const name = nameIn(reference);
      return beans.includes(name) ? undefined : usable.find(({ id }) => id === name);
    }
    // An address in the endpoint itself takes precedence over the only connection.
    const isInline = fitting.some(({ fields }) => fields.some(({ name }) => values.has(name)));
    return isInline || usable.length !== 1 ? undefined : usable[0];
  }
}

/** The text with a name inserted at the caret. A caret at the start means that the field never had the focus: the name is then appended. */
export function withName(text: string, caret: number, name: string): string {
  const at = caret === 0 ? text.length : caret;
  const before = text.slice(0, at);
  return `${before}${before === "" || /[\s.,(:"'`]$/.test(before) ? "" : " "}${name}${text.slice(at)}`;
}

/** A URI with this text as its path: `%` and `?` have a meaning there. */
export function withPath(uri: string, text: string): string {
  const [, scheme = "", query = ""] = /^([^:?]*)[^?]*(\?.*)?$/s.exec(uri) ?? [];
  return `${scheme}:${text.replaceAll("%", "%25").replaceAll("?", "%3F")}${query}`;
}
