// The available connection types: those of plug-ins, which are loaded, and those of the index, which are loaded on demand.
import { connectionIndex, findClient, missingClient, type ConnectionEntry, type ConnectionSettings } from "@sluice/connectors";
import { CompileError, type ConnectionDeclaration } from "@sluice/engine/spi";

/** Data about a type that is available without loading it. */
export type ConnectionDetails = Pick<ConnectionEntry, "type" | "kinds" | "beans" | "needs" | "title" | "summary" | "group">;

export interface ConnectionTypes {
  /** The loaded types; grows as types are loaded. */
  readonly loaded: ReadonlyMap<string, ConnectionDeclaration>;
  details(): readonly ConnectionDetails[];
  /** The type that corresponds to a Camel class. */
  ofClass(className: string): ConnectionDetails | undefined;
  isUnloaded(type: string): boolean;
  load(type: string): Promise<ConnectionDeclaration | undefined>;
  /** Returns the declaration; throws a CompileError when it is not loaded or its client package is not installed. */
  usable(type: string, user: string): ConnectionDeclaration;
}

export function createConnectionTypes(
  declared: readonly ConnectionDeclaration[] = [],
  index: readonly ConnectionEntry[] = connectionIndex,
  settings: ConnectionSettings = {},
): ConnectionTypes {
  const loaded = new Map(declared.map((declaration) => [declaration.type, declaration]));
  const details = [...declared.map(detailsOf), ...index];
  const entries = new Map(index.map((entry) => [entry.type, entry]));
  return {
    loaded,
    details: () => details,
    ofClass: (className) => details.find(({ beans }) => beans.includes(className)),
    isUnloaded: (type) => !loaded.has(type) && entries.has(type),
    async load(type) {
      const entry = entries.get(type);
      if (!loaded.has(type) && entry !== undefined) loaded.set(type, await entry.load(settings));
      return loaded.get(type);
    },
    usable(type, user) {
      const declaration = loaded.get(type);
      if (declaration === undefined)
        throw new CompileError("connection-unloaded", `connection type '${type}' is not loaded`, { unloaded: { kind: "connections", name: type } });
      const clientPackage = declaration.needs.find((client) => findClient(client) === undefined);
      if (clientPackage !== undefined) throw new CompileError("client-missing", missingClient(clientPackage, user));
      return declaration;
    },
  };
}

function detailsOf(declaration: ConnectionDeclaration): ConnectionDetails {
  const { type, kinds, beans = [], needs, title, summary, group } = declaration;
  return { type, kinds, needs, title, summary, group, beans: beans.flatMap(({ names }) => names) };
}
