import { withCallerStack } from "./caller-stack.ts";
import type { Sluice, SluiceOptions } from "./sluice.ts";

/**
 * Starts a runtime inside this process and resolves when it is ready. Without `dataDir` nothing is stored after `close`; without `port`
 * no port is opened, and requests reach the flows through `handler`.
 */
export function createSluice(options: SluiceOptions = {}): Promise<Sluice> {
  return withCallerStack(loadAndOpen(options));
}

/** The runtime code is loaded when the first runtime is created, so that importing the library is cheap. */
async function loadAndOpen(options: SluiceOptions): Promise<Sluice> {
  const { openSluice } = await import("./open-sluice.ts");
  return openSluice(options);
}
