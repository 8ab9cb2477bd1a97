import { join } from "node:path";
import { openDiskFlowStore } from "../flows/disk-flow-store.ts";
import { openDiskTestStore, type FlowTestStore } from "../flows/disk-test-store.ts";
import type { FlowStore } from "../flows/flow-store.ts";
import { withExternalFlows } from "../flows/external-flows.ts";
import { createMemoryFlowStore } from "../flows/memory-flow-store.ts";
import { RouteStates } from "../flows/route-states.ts";
import { readProperties } from "../host/properties-file.ts";
import { openDiskDocumentStore } from "../mappings/disk-document-store.ts";
import { createMemoryDocumentStore } from "../mappings/memory-document-store.ts";
import { createMappings, openMappings, type Mappings } from "../mappings/open-mappings.ts";
import type { ServerProcess } from "./open-process.ts";

/** Documents of operators and authors: flows, tests, properties, mappings, states of routes. */
export interface Documents {
  readonly flowsDir: string;
  readonly flows: FlowStore;
  readonly tests: FlowTestStore;
  readonly properties: ReadonlyMap<string, string>;
  readonly mappings: Mappings;
  readonly routeStates: RouteStates;
}

/** Flow files up to this size are read even if the limit for request bodies is smaller. */
const minFlowLimitBytes = 10 * 1024 * 1024;

/** Opens the stores and reads the properties and the states of routes. Flows and mappings are loaded later. */
export async function openDocuments({ settings, variant, dataDir, log, cluster }: ServerProcess): Promise<Documents> {
  const flowsDir = join(dataDir, "routes");
  const properties = await readProperties(settings.dataDir, settings.profile);
  if (cluster !== undefined) {
    const { flows, tests, valueMappings, messageMappings, routeStates } = cluster.stores;
    const mappings = createMappings(valueMappings, messageMappings, log, flows);
    return { flowsDir, flows, tests, properties, mappings, routeStates: await RouteStates.open(routeStates, log) };
  }
  const inMemory = variant.isTrial === true || variant.embedding?.keepsFlows === false;
  const store = inMemory
    ? createMemoryFlowStore(() => Date.now(), settings.versions)
    : await openDiskFlowStore({
        directory: flowsDir,
        maxBytes: Math.max(settings.maxBody, minFlowLimitBytes),
        versionsDirectory: join(dataDir, "flow-versions"),
        versions: { count: settings.versions, bytes: settings.versionBytes },
      });
  const flows = withExternalFlows(store, variant.externalFlows);
  return {
    flowsDir,
    flows,
    properties,
    mappings: await openMappings(dataDir, flows, log),
    tests: await openDiskTestStore(join(dataDir, "flow-tests")),
    routeStates: await RouteStates.open(inMemory ? createMemoryDocumentStore() : await openDiskDocumentStore(join(dataDir, "route-states")), log),
  };
}
