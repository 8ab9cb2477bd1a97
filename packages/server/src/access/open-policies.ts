// The access room, furnished from the settings.
import { join } from "node:path";
import type { Clock, Log } from "@sluice/engine";
import { SettingsError, type Settings } from "../config.ts";
import type { Environment } from "../host/environment.ts";
import { webhookDefault } from "../http-settings.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { parseNetwork } from "./address.ts";
import { clientAddress } from "./client-address.ts";
import { fetchText } from "./fetch-text.ts";
import { Policies, type PoliciesParts } from "./policies.ts";
import { TokenBuckets } from "./token-buckets.ts";

export interface AccessSurroundings {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly environment: Environment;
  readonly secrets: SecretValues;
  readonly log: Log;
  readonly clock: Clock;
  isInstalled(flowId: string): boolean;
  /** Told of a source that has no try left for now, so that other workers let nobody in from there unasked. */
  outguessed?(source: string): void;
}

/** After its first wrong credentials a source may try once in so many milliseconds. */
const guessEveryMs = 6_000;
const maxSources = 20_000;

export function openPolicies(surroundings: AccessSurroundings): Promise<Policies> {
  return Policies.open(partsOf(surroundings, surroundings.settings.wrongCredentials));
}

/** Policies handed over by another process, which is asked about a source after its first wrong credential. */
export function followPolicies(surroundings: AccessSurroundings): Policies {
  return Policies.following(partsOf(surroundings, 1));
}

function partsOf(
  { settings, dataDir, environment, secrets, log, clock, isInstalled, outguessed }: AccessSurroundings,
  wrongCredentials: number,
): PoliciesParts {
  const { monotonic, now } = clock;
  return {
    directory: join(dataDir, "policies"),
    clientOf: clientAddress(networksOf(settings.trustedProxies)),
    guesses: new TokenBuckets({
      capacity: wrongCredentials,
      refillMs: guessEveryMs,
      maxKeys: maxSources,
      monotonic,
      ...(outguessed === undefined ? {} : { emptied: outguessed }),
    }),
    variable: (name) => environment.named(name),
    now,
    monotonic,
    fetchText,
    otherwise: webhookDefault(settings.webhookDefault),
    isInstalled,
    hide: (owner, values) => secrets.set(owner, values),
    warn: (text) => log.write("ERROR", "sluice.access", text),
    note: (text) => log.write("INFO", "sluice.access", text),
  };
}

function networksOf(setting: string): readonly string[] {
  const networks = setting.split(",").flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
  const wrong = networks.find((text) => parseNetwork(text) === undefined);
  if (wrong !== undefined) throw new SettingsError([`SERVICE_TRUSTED_PROXIES: '${wrong}' is no address or network such as 10.0.0.0/8.`]);
  return networks;
}
