// The open breakpoint sessions. Their number is limited, because each can hold a message.
import { ServiceError } from "../service-error.ts";
import { unguessableId } from "../host/ulid.ts";
import { BreakpointSession, type Breakpoint, type BreakpointLimits, type BreakpointParts } from "./breakpoint-session.ts";

export interface BreakpointRequest {
  readonly flowId: string;
  readonly breakpoints: readonly Breakpoint[];
  readonly ttlMs?: number | undefined;
}

export interface BreakpointOptions extends BreakpointParts, BreakpointLimits {
  readonly allowed: boolean;
  readonly maxSessions: number;
}

export const maxTtlMs = 600_000;

export class BreakpointSessions {
  readonly #options: BreakpointOptions;
  readonly #sessions = new Map<string, BreakpointSession>();

  constructor(options: BreakpointOptions) {
    this.#options = options;
  }

  open({ flowId, breakpoints, ttlMs = maxTtlMs }: BreakpointRequest): BreakpointSession {
    const { allowed, maxSessions, runtime } = this.#options;
    if (!allowed) throw new ServiceError("forbidden", "breakpoints are disabled on this runtime: start it with SERVICE_BREAKPOINTS=true");
    const deployment = runtime.deployments.get(flowId);
    if (deployment === undefined) throw new ServiceError("not-found", `flow '${flowId.slice(0, 128)}' not found`);
    for (const { routeId, stepId } of breakpoints) {
      const route = deployment.routes.find(({ identity }) => identity.id === routeId);
      if (route === undefined) throw new ServiceError("document-invalid", `flow '${flowId}' has no route '${routeId.slice(0, 128)}'`);
      if (!route.steps.some(({ node }) => node.id === stepId))
        throw new ServiceError("document-invalid", `route '${routeId}' has no step '${stepId.slice(0, 128)}'`);
    }
    for (const [id, session] of this.#sessions) if (session.isExpired) this.#sessions.delete(id);
    if (this.#open().length >= maxSessions)
      throw new ServiceError("too-many", `at most ${maxSessions} breakpoint sessions can be open: end one, or try again later`, { "Retry-After": "15" });
    const session = new BreakpointSession(`bp_${unguessableId()}`, flowId, breakpoints, ttlMs, this.#options, this.#options);
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The session with this id, open or just ended; the call renews its lease. */
  get(id: string): BreakpointSession {
    const session = this.#sessions.get(id);
    if (session === undefined || session.isExpired) throw new ServiceError("not-found", `breakpoint session '${id.slice(0, 100)}' not found`);
    if (session.state !== "ended") session.renew();
    return session;
  }

  /** True while messages of the route may be held. */
  covers(routeId: string): boolean {
    return this.#open().some((session) => session.covers(routeId));
  }

  get isActive(): boolean {
    return this.#open().length > 0;
  }

  closeAll(reason: string): void {
    for (const session of this.#sessions.values()) session.end(reason);
  }

  #open(): readonly BreakpointSession[] {
    return [...this.#sessions.values()].filter(({ state }) => state !== "ended");
  }
}
