// The management API of a runtime, via the designer server, which adds the token.
import { createClient, type ApiClient, type Health, type RunKind } from "@sluice/client";
import { callTimeoutMs, toError } from "./api-errors.ts";

/** The request header that names the target. */
const targetHeader = "x-sluice-target";

const clients = new Map<string | undefined, ApiClient>();

/** The client of a target, or of the first target. */
export function runtimeAt(target: string | undefined): ApiClient {
  let client = clients.get(target);
  if (client === undefined) {
    const headers: Readonly<Record<string, string>> = target === undefined ? {} : { [targetHeader]: target };
    clients.set(target, (client = createClient({ baseUrl: "", headers, timeoutMs: callTimeoutMs, toError })));
  }
  return client;
}

/** Lists of runs in the designer include replays and runs of test sessions. */
export const allRunKinds: readonly RunKind[] = ["live", "replay", "test"];

/** The full health report of a runtime. */
export async function healthOf(target: string | undefined): Promise<Health> {
  // Only unauthenticated probes get a shorter reply.
  return (await runtimeAt(target).call("GET /health")) as Health;
}

/** Value-mapping tables or message-mapping documents, named as in the API path. */
export type MappingKind = "value-mappings" | "message-mappings";
