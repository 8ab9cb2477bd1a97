import type { Problem } from "@sluice/client";
import type { Diagnostic } from "@sluice/model";

export type { Problem };

/** A fault found here, as the runtime would tell it. */
export function problemOf({ severity, span, code, message, hint, routeId, stepId }: Diagnostic): Problem {
  const full = hint === undefined || message.includes(hint) ? message : `${message} (${hint})`;
  return { severity, line: span.line, column: span.column, routeId: routeId ?? null, stepId: stepId ?? null, code, message: full };
}
