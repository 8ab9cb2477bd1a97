import type { Run } from "@sluice/engine";

/** The data needed to show a run after its process has exited. */
export interface RunIdentity {
  readonly id: string;
  readonly route: Run["route"];
  readonly exchangeId: string;
  readonly trigger: Run["trigger"];
  readonly startedAt: number;
  /** The run that called it. */
  readonly parentRunId: string | undefined;
  readonly traceId: string | undefined;
  readonly correlationId: string;
}
