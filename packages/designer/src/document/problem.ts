import type { Diagnostic } from "@sluice/model";

/** A fault as the page shows it, wherever it was found. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly line: number;
  readonly column: number;
  readonly routeId: string | null;
  readonly stepId: string | null;
  readonly code: string;
  readonly message: string;
}

export function problemOf({ severity, span, code, message, hint, routeId, stepId }: Diagnostic): Problem {
  const full = hint === undefined || message.includes(hint) ? message : `${message} (${hint})`;
  return { severity, line: span.line, column: span.column, routeId: routeId ?? null, stepId: stepId ?? null, code, message: full };
}
