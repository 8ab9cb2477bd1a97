import type { Span } from "./span.ts";

/** One error or warning about a document. Diagnostics are collected, never thrown, so that an author sees all of them at once. */
export interface Diagnostic {
  /** A stable code such as `step-unknown`; the troubleshooting pages use it. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Describes the error in one sentence. */
  readonly message: string;
  /** The position in the document's structure, e.g. `[0].route.from.steps[2].log`. */
  readonly path: string;
  readonly span: Span;
  readonly routeId?: string;
  readonly stepId?: string;
  /** The fix, if known. */
  readonly hint?: string;
}
