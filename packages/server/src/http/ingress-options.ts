import type { SessionTag } from "@sluice/engine/spi";
import type { AccessCheck } from "./access.ts";
import type { Arrival } from "./arrival.ts";
import type { HttpLimits } from "./limits.ts";

/** What the way of a webhook request asks of the rest of the server. */
export interface IngressOptions {
  readonly limits: HttpLimits;
  /** The policy of a flow, asked for at each request so that a change holds at once; undefined is open. */
  accessOf?(flowId: string): AccessCheck | undefined;
  /** The test session of this id. */
  sessionOf?(id: string): SessionTag | "expired" | undefined;
  /** True for a deployed webhook route that takes nothing in at the moment: stopped, suspended or not started yet. */
  isStopped?(routeId: string): boolean;
  /** Asked in place of turning a caller away, for a process whose word is not the last; `body` when it has been read. */
  appeal?(arrival: Arrival, body: Uint8Array | undefined): void;
  /** Told about faults of our own; the caller only sees the reference. */
  reportFault(fault: unknown, reference: string): void;
}
