import { FlowError, type Host, type HttpIngress, type Ids, type Log } from "@sluice/engine";
import type { Environment } from "./environment.ts";
import { systemClock } from "./clock.ts";

export interface HostParts {
  readonly log: Log;
  readonly ids: Ids;
  readonly http: HttpIngress;
  readonly environment: Environment;
}

/** The effects the engine and its plug-ins may have on this machine. */
export function createHost({ log, ids, http, environment }: HostParts): Host {
  return {
    clock: systemClock,
    log,
    ids,
    http,
    lookup: {
      find(table) {
        throw new FlowError("java.lang.IllegalArgumentException", `there is no value-mapping table '${table}'`, { code: "table-unknown" });
      },
    },
    globals: new Map(),
    random: Math.random,
    environment: environment.visible,
  };
}
