export { describeCatalog } from "./api/catalog.ts";
export { statusOf } from "./api/errors.ts";
export { createCatalog } from "./catalog.ts";
export * from "./config.ts";
export { startServer, startTrialServer, type RunningServer } from "./main.ts";
export type { GivenFlow, GivenFlows } from "./flows/given-flows.ts";
export { LockedError } from "./flows/data-lock.ts";
export type { ShutdownReport } from "./shutdown.ts";
