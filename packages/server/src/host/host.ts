import type { Host, HttpIngress, Ids, Log, Lookup } from "@sluice/engine";
import type { Environment } from "./environment.ts";
import { systemClock } from "./clock.ts";

export interface HostParts {
  readonly log: Log;
  readonly ids: Ids;
  readonly http: HttpIngress;
  readonly environment: Environment;
  readonly lookup: Lookup;
}

/** The effects the engine and its plug-ins may have on this machine. */
export function createHost({ log, ids, http, environment, lookup }: HostParts): Host {
  return {
    clock: systemClock,
    log,
    ids,
    http,
    lookup,
    globals: new Map(),
    firstTickMs: 250,
    random: Math.random,
    environment: environment.visible,
  };
}
