import type { Span } from "./span.ts";

/** One fault in a document. Faults are collected, never thrown, so that an author sees all of them at once. */
export interface Diagnostic {
  /** A stable word such as `step-unknown`; the troubleshooting pages are found by it. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** One sentence: what is wrong. */
  readonly message: string;
  /** Where in the document's structure, e.g. `[0].route.from.steps[2].log`. */
  readonly path: string;
  readonly span: Span;
  readonly routeId?: string;
  readonly stepId?: string;
  /** What to write instead, when it is known. */
  readonly hint?: string;
}
