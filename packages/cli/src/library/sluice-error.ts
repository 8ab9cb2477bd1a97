export interface SluiceErrorDetails {
  /** HTTP status of the management API for this error; 500 for a failed run. */
  readonly status: number;
  /** The error code of a rejected call, such as `not-found`. */
  readonly code?: string | undefined;
  readonly runId?: string | undefined;
  readonly stepId?: string | undefined;
  /** The type of the failure, such as `java.lang.IllegalArgumentException`. */
  readonly type?: string | undefined;
}

/** A rejected call or a failed run of an embedded runtime; the message explains what is wrong and where. */
export class SluiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly runId: string | undefined;
  readonly stepId: string | undefined;
  readonly type: string | undefined;

  constructor(message: string, { status, code, runId, stepId, type }: SluiceErrorDetails) {
    super(message);
    this.name = "SluiceError";
    this.status = status;
    this.code = code;
    this.runId = runId;
    this.stepId = stepId;
    this.type = type;
  }
}
