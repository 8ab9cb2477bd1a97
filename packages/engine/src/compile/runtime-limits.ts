/** Limits that apply to every run. */
export interface RuntimeLimits {
  /** Maximum depth of nested `direct:` calls. */
  readonly callDepth: number;
  /** Concurrent runs of one route; more are rejected. */
  readonly inflightPerRoute: number;
  /** Maximum duration of a run in milliseconds. */
  readonly runMs: number;
  /** Maximum drain time of an old version or a stopping route in milliseconds. */
  readonly drainMs: number;
  /** Maximum number of copies of copies of an exchange that one run may create, for example with nested multicasts and splits. */
  readonly exchanges: number;
  /** Maximum length of a string an expression may produce, in characters. */
  readonly messageSize: number;
}
