export { describeCatalog } from "./api/catalog.ts";
export { statusOf } from "./api/errors.ts";
export { createCatalog } from "./catalog.ts";
export * from "./config.ts";
export { startServer, startTrialServer, type RunningServer } from "./main.ts";
export { LockedError } from "./flows/data-lock.ts";
export type { ShutdownReport } from "./shutdown.ts";
