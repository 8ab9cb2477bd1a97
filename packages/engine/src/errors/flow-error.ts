// The error class of runs. Exception types keep Camel's (Java) names because flows name them in onException and doCatch; exception-types.ts
// defines their ancestors.

export interface FlowErrorOptions {
  /** A stable code for the error reference, e.g. `sink-timeout`. */
  readonly code?: string;
  readonly cause?: unknown;
  /** True when retrying later may help (a system is down), false when the message itself is invalid. */
  readonly retryable?: boolean;
  /** Structured details for handlers, such as `statusCode` and `responseBody` of an HTTP failure. */
  readonly details?: Readonly<Record<string, unknown>>;
}

// A plug-in may bundle its own copy of this class, so recognize it by this symbol instead of `instanceof`.
const brand: unique symbol = Symbol.for("sluice.FlowError");

export class FlowError extends Error {
  /** The exception's Camel name, e.g. `java.lang.IllegalArgumentException`. */
  readonly type: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** The step that failed; set when the failure is first recorded. */
  stepId: string | undefined = undefined;
  routeId: string | undefined = undefined;
  /** An error handler has already processed it: outer handlers must not. */
  exhausted = false;
  /** Marks the exchange rollback-only: doCatch runs but cannot clear it. */
  readonly rollback: boolean;

  constructor(type: string, message: string, options: FlowErrorOptions & { rollback?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = type.slice(type.lastIndexOf(".") + 1);
    this.type = type;
    this.code = options.code ?? "step-failed";
    this.retryable = options.retryable ?? false;
    this.details = options.details;
    this.rollback = options.rollback ?? false;
  }

  get [brand](): true {
    return true;
  }
}

/** True for a FlowError of any copy of this package. */
export function isFlowError(value: unknown): value is FlowError {
  return typeof value === "object" && value !== null && brand in value;
}

/** Converts anything thrown to a FlowError; errors of other classes, which are bugs, get the code `unexpected`. */
export function toFlowError(error: unknown): FlowError {
  if (isFlowError(error)) return error;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return new FlowError("java.lang.IllegalStateException", "call depth: the flow is nested too deeply or calls itself too many times", {
      code: "limit-call-depth",
    });
  if (error instanceof Error) return new FlowError("java.lang.RuntimeException", error.message, { code: "unexpected", cause: error });
  return new FlowError("java.lang.RuntimeException", String(error), { code: "unexpected", cause: error });
}
