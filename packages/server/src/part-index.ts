// Loads declarations into the catalog when a flow first uses them.
import { beanIndex, connectorIndex, type BeanEntry, type ConnectorEntry, type ConnectorSettings } from "@sluice/connectors";
import type { BeanDeclaration, ConnectorDeclaration, PartIndex, UnloadedPart } from "@sluice/engine";
import type { ConnectionTypes } from "./connections/connection-types.ts";

export interface LoadedParts {
  readonly connectors: Map<string, ConnectorDeclaration>;
  readonly beans: Map<string, BeanDeclaration>;
  readonly connections: ConnectionTypes;
}

export interface PartEntries {
  readonly connectors: readonly ConnectorEntry[];
  readonly beans: readonly BeanEntry[];
}

const defaultEntries: PartEntries = { connectors: connectorIndex, beans: beanIndex };

/** Creates the index. Tests replace `entries`, the list of parts that are loaded on demand. */
export function createPartIndex(loaded: LoadedParts, settings: ConnectorSettings, entries: PartEntries = defaultEntries): FullPartIndex {
  const connectors = new Map(entries.connectors.flatMap((entry) => schemesOf(entry).map((scheme) => [scheme, entry] as const)));
  const beans = new Map(entries.beans.flatMap((entry) => entry.names.map((name) => [name, entry] as const)));

  const load = async ({ kind, name }: UnloadedPart): Promise<void> => {
    if (kind === "connections") {
      await loaded.connections.load(name);
      return;
    }
    const entry = kind === "connectors" ? connectors.get(name) : beans.get(name);
    if (entry === undefined || loaded[kind].has(name)) return;
    if ("scheme" in entry) {
      const declaration = await entry.load(settings);
      for (const scheme of schemesOf(entry)) loaded.connectors.set(scheme, declaration);
      return;
    }
    const declaration = await entry.load();
    for (const beanName of declaration.names) loaded.beans.set(beanName, declaration);
  };

  return {
    isUnloaded: ({ kind, name }) =>
      kind === "connections" ? loaded.connections.isUnloaded(name) : !loaded[kind].has(name) && (kind === "connectors" ? connectors : beans).has(name),
    schemes: () => connectors.keys(),
    entries: () => entries.connectors,
    async load(parts) {
      for (const part of parts) await load(part);
    },
    async loadAll() {
      for (const { scheme } of entries.connectors) await load({ kind: "connectors", name: scheme });
      for (const { names } of entries.beans) await load({ kind: "beans", name: names[0] as string });
      for (const { type } of loaded.connections.details()) await loaded.connections.load(type);
    },
  };
}

export interface FullPartIndex extends PartIndex {
  /** All connectors that are loaded on demand. */
  entries(): readonly ConnectorEntry[];
  /** Loads everything, for schemas and documentation. */
  loadAll(): Promise<void>;
}

const schemesOf = ({ scheme, aliases = [] }: ConnectorEntry): readonly string[] => [scheme, ...aliases];
