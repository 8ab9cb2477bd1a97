import type { Problem } from "@sluice/client";
import type { Diagnostic } from "@sluice/model";

export type { Problem };

/** Converts a problem found by the page to the runtime's format. */
export function problemOf({ severity, span, code, message, hint, routeId, stepId }: Diagnostic): Problem {
  const full = hint === undefined || message.includes(hint) ? message : `${message} (${hint})`;
  return { severity, line: span.line, column: span.column, routeId: routeId ?? null, stepId: stepId ?? null, code, message: full };
}
