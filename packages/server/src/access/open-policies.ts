// Creates the access policies from the settings.
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
import type { PolicyStore } from "./policy-store.ts";
import type { UsedSignatures } from "./schemes/used-signatures.ts";
import { TokenBuckets } from "./token-buckets.ts";

export interface AccessParts {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly environment: Environment;
  readonly secrets: SecretValues;
  readonly log: Log;
  readonly clock: Clock;
  /** Used instead of files in the data directory. */
  readonly store?: PolicyStore | undefined;
  /** The used signatures that the nodes of a cluster share. */
  signaturesOf?(flowId: string): UsedSignatures;
  isInstalled(flowId: string): boolean;
  /** Called when a source has used up its attempts, so that the other workers ask the leader before they grant access. */
  sourceBlocked?(source: string): void;
  /** Fetches key sets; by default directly from the issuer. */
  fetchText?(uri: string): Promise<string>;
}

/** After too many wrong credentials, a source gets one attempt per interval. */
const attemptIntervalMs = 6_000;
const maxSources = 20_000;

export function openPolicies(parts: AccessParts): Promise<Policies> {
  return Policies.open(partsOf(parts, parts.settings.wrongCredentials));
}

/** Policies replicated from the leader. The leader decides after the first wrong credential of a source. */
export function followPolicies(parts: AccessParts): Policies {
  return Policies.following(partsOf(parts, 1));
}

function partsOf(
  { settings, dataDir, environment, secrets, log, clock, store, signaturesOf, isInstalled, sourceBlocked, fetchText: customFetchText }: AccessParts,
  wrongCredentials: number,
): PoliciesParts {
  const monotonic = (): number => clock.monotonic();
  return {
    directory: join(dataDir, "policies"),
    store,
    ...(signaturesOf === undefined ? {} : { signaturesOf }),
    clientOf: clientAddress(networksOf(settings.trustedProxies)),
    failedAttempts: new TokenBuckets({
      capacity: wrongCredentials,
      refillMs: attemptIntervalMs,
      maxKeys: maxSources,
      monotonic,
      ...(sourceBlocked === undefined ? {} : { emptied: sourceBlocked }),
    }),
    variable: (name) => environment.named(name),
    now: () => clock.now(),
    monotonic,
    fetchText: customFetchText ?? fetchText,
    defaultCheck: webhookDefault(settings.webhookDefault),
    isInstalled,
    registerSecrets: (owner, values) => secrets.set(owner, values),
    error: (text) => log.write("ERROR", "sluice.access", text),
    info: (text) => log.write("INFO", "sluice.access", text),
  };
}

function networksOf(setting: string): readonly string[] {
  const networks = setting.split(",").flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
  const invalid = networks.find((text) => parseNetwork(text) === undefined);
  if (invalid !== undefined) throw new SettingsError([`SERVICE_TRUSTED_PROXIES: '${invalid}' is not an address or network such as 10.0.0.0/8`]);
  return networks;
}
