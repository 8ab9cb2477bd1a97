import type { SessionTag } from "@sluice/engine/spi";
import type { AccessCheck } from "./access.ts";
import type { InboundRequest } from "./inbound-request.ts";
import type { HttpBytes } from "./http-bytes.ts";
import type { HttpLimits } from "./limits.ts";

/** Dependencies and limits of the webhook ingress. */
export interface IngressOptions {
  readonly limits: HttpLimits;
  readonly bytes: HttpBytes;
  /** The access check of a flow, looked up for each request so that changes apply at once; undefined when access is not restricted. */
  accessOf?(flowId: string): AccessCheck | undefined;
  /** Finds a test session. */
  sessionOf?(id: string): SessionTag | "expired" | undefined;
  /** True for a deployed webhook route that does not accept requests: stopped, suspended or not started yet. */
  isStopped?(routeId: string): boolean;
  /** Forwards a request that this process would reject, with its body if it has been read. */
  forwardRefused?(inbound: InboundRequest, body: Uint8Array | undefined): void;
  /** Logs an internal error; the caller sees only the reference. */
  reportFault(fault: unknown, reference: string): void;
}
