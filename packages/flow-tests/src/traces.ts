import type { RuntimeTransport } from "./runtime-transport.ts";

/** A run as returned by the management API, limited to the members that tests need. */
export interface RunView {
  readonly id: string;
  readonly routeId: string;
  readonly status: string;
  readonly startedAt: string;
  readonly error: { readonly type: string; readonly message: string; readonly stepId: string | null } | null;
  readonly steps: readonly StepView[];
}

export interface StepView {
  readonly stepId: string;
  readonly kind: string;
  readonly status: string;
  readonly durationMs: number;
}

export interface Traces {
  /** Oldest first. */
  readonly runs: readonly RunView[];
  /** The steps the session's messages executed, in any route. */
  readonly visited: ReadonlySet<string>;
}

/** Reads the runs and steps of the session's messages so far, in all routes. */
export async function readTraces(transport: RuntimeTransport, sessionId: string): Promise<Traces> {
  const { text } = await transport.api("GET", `/runs?limit=1000&sessionId=${encodeURIComponent(sessionId)}`);
  const runs = (JSON.parse(text) as { runs: readonly RunView[] }).runs.toReversed();
  return { runs, visited: new Set(runs.flatMap(({ steps }) => steps.map(({ stepId }) => stepId))) };
}
