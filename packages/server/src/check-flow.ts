// Checks a flow as a deploy would, without a running service; for tools that work on files.
import { createRuntime, type Host, type Prepared } from "@sluice/engine";
import { steps } from "@sluice/standard";
import { createCatalog } from "./catalog.ts";
import { checkConnection, type CheckedConnection } from "./connections/check-connection.ts";
import { closedConnections, type ClosedOptions } from "./connections/closed-connections.ts";
import { missingConnection } from "./connections/find-connection.ts";
import { createConnectionTypes } from "./connections/connection-types.ts";
import { systemClock } from "./host/clock.ts";
import { kameletFolders } from "./kamelets/kamelet-folders.ts";
import { flowWarnings } from "./flow-warnings/flow-warnings.ts";
import { resourceFolders } from "./resources/resource-folders.ts";
import { noPlugins, type Plugins } from "./plugins/load-plugins.ts";

export { schemaOfKind, type DocumentKindName } from "./document-kinds.ts";
export { findKameletFolders } from "./kamelets/find-kamelet-folders.ts";
export { kameletFolders } from "./kamelets/kamelet-folders.ts";
export { findConnectionFolders } from "./connections/connection-folders.ts";
export { findResourceFolders } from "./resources/resource-folders.ts";
export { exportedName, functionStub, type FunctionStub, type StubKind } from "@sluice/engine";
export { loadPlugins, type Plugins } from "./plugins/load-plugins.ts";
export { PluginError, type PluginProblem } from "./plugins/plugin-error.ts";

export { unhandledCalls } from "./flows/missing-consumers.ts";
export type { CheckedConnection, Prepared };

export interface FlowText {
  /** The flow's id; also the default name of its routes. */
  readonly id: string;
  readonly source: string;
  /** The value of a `{{name}}`. */
  property(name: string): string | undefined;
  propertiesUnder?(prefix: string): Readonly<Record<string, string>>;
  /** Folders with the project's Kamelets, searched before those of the operator. */
  readonly kamelets?: readonly string[];
  /** Folders with the project's text files, searched before those of the operator. */
  readonly resources?: readonly string[];
  /** The project's connections: the type by id; undefined for a file without a usable type. */
  readonly connections?: ReadonlyMap<string, string | undefined>;
}

/** Folders that the operator configures. */
export interface OperatorFolders {
  readonly kamelets?: readonly string[];
  readonly resources?: readonly string[];
}

/** True for a step that may skip its nested steps without an error. */
export const maySkipSteps = (name: string): boolean => steps.some((step) => step.name === name && step.maySkipSteps === true);

/** Checks connection documents; opens nothing. */
export function createConnectionChecker(plugins: Plugins = noPlugins): (id: string, text: string) => Promise<CheckedConnection> {
  const types = createConnectionTypes(plugins.connections);
  return (id, text) => checkConnection(id, text, types);
}

/**
 * Parses, checks and compiles flows; starts nothing and keeps no state between flows. With the connections of a project it also warns about
 * secrets in the text and about connections that only a runtime can provide.
 */
export function createFlowChecker(plugins: Plugins = noPlugins, folders: OperatorFolders = {}): (flow: FlowText) => Promise<Prepared> {
  const catalog = createCatalog({ plugins });
  const host: Host = {
    clock: systemClock,
    log: { enabled: () => false, write: () => undefined },
    ids: { next: () => "0" },
    http: { mount: () => () => undefined },
    lookup: { find: () => null },
    globals: new Map(),
    random: () => 0,
    environment: () => undefined,
  };
  const ignore = (): void => undefined;
  const listener = { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore };
  return async ({ kamelets = [], resources = [], connections, ...flow }) => {
    const files = {
      kamelets: kameletFolders([...kamelets, ...(folders.kamelets ?? [])]),
      resources: resourceFolders([...resources, ...(folders.resources ?? [])]),
    };
    const prepare = (options: ClosedOptions): Promise<Prepared> => {
      const flowHost = { ...host, ...files, connections: closedConnections(catalog.connectionTypes, () => host, options) };
      return createRuntime({ catalog, host: flowHost, listener }).prepareLoaded({ ...flow, hash: "0".repeat(64) });
    };
    if (connections === undefined) return prepare({});
    const load = (type: string | undefined) => (type === undefined ? undefined : catalog.connectionTypes.load(type));
    const types = await Promise.all([...connections].map(async ([id, type]) => [id, await load(type)] as const));
    const known = new Map(types.flatMap(([id, declaration]) => (declaration === undefined ? [] : [[id, declaration.type] as const])));
    let isAnyMissing = false;
    const prepared = await prepare({ known, missing: () => (isAnyMissing = true) });
    const warnings = flowWarnings(flow.source, catalog);
    if (!isAnyMissing) return { ...prepared, diagnostics: [...prepared.diagnostics, ...warnings] };
    // Connections are configured in the runtime, so a missing one is a warning, not an error.
    const strictlyPrepared = await prepare({ known, isStrict: true });
    const broken = [...connections].flatMap(([id, type]) => (type === undefined ? [missingConnection(id)] : []));
    const missing = strictlyPrepared.diagnostics
      .filter(({ code, message }) => code === "connection-missing" && !broken.some((text) => message.includes(text)))
      .map((diagnostic) => ({ ...diagnostic, severity: "warning" as const }));
    return { ...prepared, diagnostics: [...prepared.diagnostics, ...warnings, ...missing] };
  };
}
