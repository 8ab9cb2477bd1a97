import type { CatalogView, ConnectorView } from "@sluice/model";
import { FlowCatalog } from "./flow-catalog.ts";

type ConnectorSample = Pick<ConnectorView, "scheme" | "roles" | "trigger">;

const samples: readonly ConnectorSample[] = [
  { scheme: "direct", roles: ["source", "sink"], trigger: "route" },
  { scheme: "timer", roles: ["source"], trigger: "schedule" },
  { scheme: "webhook", roles: ["source"], trigger: "request" },
  { scheme: "hooks-at", roles: ["source"], trigger: "request" },
  { scheme: "http", roles: ["sink"] },
];

/** A catalog with connectors only, for commands and trials. */
export const connectorCatalog = new FlowCatalog({
  ...{ common: [], route: [], from: [], steps: [], languages: [], formats: [], entities: [], beans: [], kamelets: [], plugins: [], refused: {} },
  connectors: samples.map((sample) => ({ ...sample, title: sample.scheme, aliases: [], path: [], options: [], headers: [] })),
} as unknown as CatalogView);
