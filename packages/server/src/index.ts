export * from "./config.ts";
export { startServer, type RunningServer } from "./main.ts";
export { LockedError } from "./flows/data-lock.ts";
export type { ShutdownReport } from "./shutdown.ts";
