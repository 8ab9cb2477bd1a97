// Counts chained webhook calls between flows: a flow that calls its own webhook over HTTP would otherwise hold runs and connections
// until they time out. A caller that sets the header itself can only get its own call rejected.

/** Sent by the http connector, incremented by each run. */
export const hopsHeader = "sluice-http-hops";

/** Lower than the connection limit of the HTTP pool, so that a loop cannot exhaust the pool. */
export const maxHops = 20;

export function readHops(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,4}$/.test(header) ? Number(header) : undefined;
}
