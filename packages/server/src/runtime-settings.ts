// What the settings mean to the parts of a runtime.
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { ConnectorSettings } from "@sluice/connectors";
import type { Catalog, Clock, RuntimeLimits } from "@sluice/engine";
import { createCatalog } from "./catalog.ts";
import type { Settings } from "./config.ts";
import { loadFunctions } from "./functions/load-functions.ts";
import { loadJsLanguage } from "./functions/load-js-language.ts";
import { systemClock } from "./host/clock.ts";
import type { SecretValues } from "./masking/secret-values.ts";

/** The catalogue with what an operator added and allowed. */
export async function catalogFor(settings: Settings, ports: Omit<ConnectorSettings, "languages" | "http">): Promise<Catalog> {
  return createCatalog({
    ...(settings.functions === undefined ? {} : { functions: await loadFunctions(resolve(settings.functions)) }),
    ...(settings.enableJs ? { js: await loadJsLanguage() } : {}),
    ...ports,
    http: {
      egress: {
        allowPrivate: settings.egressAllowPrivate,
        allowHosts: settings.egressAllowHosts
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== ""),
      },
    },
  });
}

export function runtimeLimits(settings: Settings): RuntimeLimits {
  return {
    callDepth: settings.callDepth,
    inflightPerRoute: settings.maxInflight,
    runMs: settings.runMs,
    drainMs: settings.drainMs,
    exchanges: settings.maxExchanges,
    messageSize: settings.maxMessage,
  };
}

export interface StreamRing {
  readonly boot: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly secrets: SecretValues;
}

/** The room of an event stream. Both streams of a process count from the same boot. */
export function streamRing(settings: Settings, secrets: SecretValues): StreamRing {
  return { boot: randomBytes(3).toString("hex"), maxEvents: settings.streamEvents, maxBytes: settings.streamBytes, clock: systemClock, secrets };
}
