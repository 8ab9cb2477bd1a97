// The management API of a runtime, through the designer's server, which adds the token.
import { createClient, type ApiClient, type Health } from "@sluice/client";
import { patienceMs, refused } from "./refusals.ts";

/** The header by which the server is told which target is meant. */
const targetHeader = "x-sluice-target";

const clients = new Map<string | undefined, ApiClient>();

/** The runtime of a target, or of the server's first one. */
export function runtimeAt(target: string | undefined): ApiClient {
  let client = clients.get(target);
  if (client === undefined) {
    const headers: Readonly<Record<string, string>> = target === undefined ? {} : { [targetHeader]: target };
    clients.set(target, (client = createClient({ baseUrl: "", headers, timeoutMs: patienceMs, refused })));
  }
  return client;
}

/** How a runtime is, in full. */
export async function healthOf(target: string | undefined): Promise<Health> {
  // Only a probe is answered with less.
  return (await runtimeAt(target).call("GET /health")) as Health;
}

/** Tables and documents are reached alike; the kind is the name of their list in an address. */
export type MappingKind = "value-mappings" | "message-mappings";
