import type { Settings } from "./config.ts";
import type { AccessCheck } from "./http/access.ts";
import { defaultHttpLimits, type HttpLimits } from "./http/limits.ts";

/** The listener's limits out of the settings. */
export function httpLimits(settings: Settings): HttpLimits {
  return {
    ...defaultHttpLimits,
    maxBodyBytes: settings.maxBody,
    maxConnections: settings.maxConnections,
    headersTimeoutMs: settings.headersTimeoutMs,
    requestTimeoutMs: settings.bodyTimeoutMs,
    keepAliveTimeoutMs: settings.keepAliveMs,
    maxConcurrentPerRoute: settings.maxInflight,
  };
}

const denied: AccessCheck = { check: () => ({ kind: "refused", status: 403, error: "forbidden" }) };

/** What holds for webhooks of flows that have no access policy. */
export function webhookDefault(setting: Settings["webhookDefault"]): (flowId: string) => AccessCheck | undefined {
  return setting === "deny" ? () => denied : () => undefined;
}
