import type { Connections, Host, HttpIngress, Ids, KameletFiles, Log, Lookup, ResourceFiles } from "@sluice/engine";
import type { Environment } from "./environment.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { systemClock } from "./clock.ts";
import { digest } from "./digest.ts";

export interface HostParts {
  readonly log: Log;
  readonly ids: Ids;
  readonly http: HttpIngress;
  readonly environment: Environment;
  readonly secrets: SecretValues;
  readonly lookup: Lookup;
  readonly connections?: Connections;
  readonly kamelets?: KameletFiles;
  readonly resources?: ResourceFiles;
}

/** The services of this machine for the engine and its plug-ins. */
export function createHost({ log, ids, http, environment, secrets, lookup, connections, kamelets, resources }: HostParts): Host {
  return {
    clock: systemClock,
    log,
    ids,
    http,
    lookup,
    ...(connections === undefined ? {} : { connections }),
    ...(kamelets === undefined ? {} : { kamelets }),
    ...(resources === undefined ? {} : { resources }),
    globals: new Map(),
    firstTickMs: 250,
    mask: (text) => secrets.scrub(maskUris(text)),
    digest,
    random: Math.random,
    environment: environment.visible,
  };
}
