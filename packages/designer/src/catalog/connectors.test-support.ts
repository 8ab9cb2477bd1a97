import type { CatalogView, ConnectorView } from "@sluice/model";
import { FlowCatalog } from "./flow-catalog.ts";

type Facts = Pick<ConnectorView, "scheme" | "roles" | "trigger">;

const facts: readonly Facts[] = [
  { scheme: "direct", roles: ["source", "sink"], trigger: "route" },
  { scheme: "timer", roles: ["source"], trigger: "schedule" },
  { scheme: "webhook", roles: ["source"], trigger: "request" },
  { scheme: "hooks-at", roles: ["source"], trigger: "request" },
  { scheme: "http", roles: ["sink"] },
];

/** A catalog with connectors only, as commands and trials use it. */
export const connectorCatalog = new FlowCatalog({
  ...{ common: [], route: [], from: [], steps: [], languages: [], formats: [], entities: [], beans: [], kamelets: [], plugins: [], refused: {} },
  connectors: facts.map((fact) => ({ ...fact, title: fact.scheme, aliases: [], path: [], options: [], headers: [] })),
} as unknown as CatalogView);
