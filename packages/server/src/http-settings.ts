import { totalmem } from "node:os";
import type { Settings } from "./config.ts";
import type { AccessCheck } from "./http/access.ts";
import { defaultHttpLimits, type HttpLimits } from "./http/limits.ts";

/** The listener's limits from the settings. */
export function httpLimits(settings: Settings): HttpLimits {
  return {
    ...defaultHttpLimits,
    maxBodyBytes: settings.maxBody,
    maxBodyBytesHeld: settings.maxBodyBytesHeld ?? defaultBytesHeld(settings, memoryBytes()),
    maxConnections: settings.maxConnections,
    headersTimeoutMs: settings.headersTimeoutMs,
    requestTimeoutMs: settings.bodyTimeoutMs,
    keepAliveTimeoutMs: settings.keepAliveMs,
    maxConcurrentPerRoute: settings.maxInflight,
  };
}

const mebibyte = 1024 * 1024;

/** The default memory budget for request bytes. */
export function defaultBytesHeld({ maxBody, workers }: Pick<Settings, "maxBody" | "workers">, memory: number): number {
  const share = Math.min(64 * mebibyte, Math.max(16 * mebibyte, memory / 16)) / workers;
  return Math.max(2 * maxBody, Math.floor(share));
}

/** Memory of the machine or the limit of the container. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

const denyAll: AccessCheck = { check: () => ({ kind: "denied", code: "forbidden", message: "forbidden" }) };

/** Access to webhooks of flows without a policy. */
export function webhookDefault(setting: Settings["webhookDefault"]): (flowId: string) => AccessCheck | undefined {
  return setting === "deny" ? () => denyAll : () => undefined;
}
