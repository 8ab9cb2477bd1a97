// The one kind of running fault. Exception types keep Camel's (Java) names because flows name them in
// onException and doCatch; here a name is data, its ancestors come from exception-types.ts.

export interface FlowErrorOptions {
  /** A stable word for the reference pages, e.g. `sink-timeout`. */
  readonly code?: string;
  readonly cause?: unknown;
  /** True when trying again later may help (a partner is down), false when the message itself is at fault. */
  readonly retryable?: boolean;
  /** Structured extras for handlers, such as `statusCode` and `responseBody` of an HTTP failure. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export class FlowError extends Error {
  /** The exception's name in Camel's tree, e.g. `java.lang.IllegalArgumentException`. */
  readonly type: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** The step that failed, filled in by the route boundary. */
  stepId: string | undefined = undefined;
  routeId: string | undefined = undefined;
  /** An error handler has done all it could with it: outer handlers leave it alone. */
  exhausted = false;
  /** Marks the exchange rollback-only: doCatch runs but cannot save it. */
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
}

/** Anything thrown, as a FlowError: a bug in our own code is told apart by its code `unexpected`. */
export function toFlowError(thrown: unknown): FlowError {
  if (thrown instanceof FlowError) return thrown;
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message))
    return new FlowError("java.lang.IllegalStateException", "call depth: the flow called itself too deeply", { code: "limit-call-depth" });
  if (thrown instanceof Error) return new FlowError("java.lang.RuntimeException", thrown.message, { code: "unexpected", cause: thrown });
  return new FlowError("java.lang.RuntimeException", String(thrown), { code: "unexpected", cause: thrown });
}
