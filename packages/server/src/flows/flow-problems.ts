// Problems in a flow, in the format of the API: one sentence for an error body, or the complete list for validate.
import { conflictMessage, type Conflict, type Prepared } from "@sluice/engine";
import type { Diagnostic } from "@sluice/model";
import { ServiceError } from "../service-error.ts";

export interface Problem {
  readonly severity: "error" | "warning";
  readonly line: number;
  readonly column: number;
  readonly routeId: string | null;
  readonly stepId: string | null;
  readonly code: string;
  readonly message: string;
}

/** True for problems that are reported without a line number and hint. */
const needsNoLocation = ({ code, message }: Diagnostic): boolean => code === "flow-reserved-path" || message === "flow defines no routes";

/** Throws a ServiceError with the problems, unless the flow can be deployed. */
export function assertDeployable({ flow, skippedRoutes, diagnostics, conflicts }: Prepared): void {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const first = errors[0];
  if (first !== undefined) {
    const sorted = errors.toSorted((a, b) => a.span.start - b.span.start);
    throw new ServiceError(isSyntax(first) ? "yaml-invalid" : "flow-invalid", joinProblems(sorted), undefined, sorted[0]?.code);
  }
  // A file with only shared definitions, or with routes disabled by preconditions, is valid; an empty one is a mistake.
  if (flow.routes.length + skippedRoutes === 0 && flow.entities.length === 0)
    throw new ServiceError("flow-invalid", "flow defines no routes", undefined, "flow-empty");
  const conflict = conflicts[0];
  if (conflict !== undefined) throw new ServiceError("conflict", conflictMessage(conflict), undefined, conflictProblem(conflict).code);
}

/** All problems in document order. */
export function listProblems({ diagnostics, conflicts }: Prepared): readonly Problem[] {
  const problems = diagnostics.map(problemOf);
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return [...problems, ...conflicts.map(conflictProblem)];
}

export function problemOf(diagnostic: Diagnostic): Problem {
  const { severity, code, span, routeId = null, stepId = null } = diagnostic;
  return { severity, line: span.line, column: span.column, routeId, stepId, code, message: withHint(diagnostic) };
}

const conflictProblem = (conflict: Conflict): Problem => ({
  severity: "error",
  line: 1,
  column: 1,
  routeId: conflict.kind === "route-id" ? conflict.name : null,
  stepId: null,
  code: `flow-conflict-${conflict.kind}`,
  message: conflictMessage(conflict),
});

export function warningsOf({ diagnostics }: Prepared): readonly string[] {
  return diagnostics.filter((diagnostic) => diagnostic.severity === "warning").map(sentence);
}

/** YAML syntax errors, after which nothing of the flow can be read. */
const isSyntax = (diagnostic: Diagnostic): boolean => diagnostic.code.startsWith("yaml-");

function sentence(diagnostic: Diagnostic): string {
  const { line, column } = diagnostic.span;
  if (isSyntax(diagnostic)) return `invalid YAML at line ${line}, column ${column}: ${withHint(diagnostic)}`;
  return needsNoLocation(diagnostic) ? diagnostic.message : `line ${line}: ${withHint(diagnostic)}`;
}

/** Appends the hint unless the message includes it. */
const withHint = ({ message, hint }: Diagnostic): string => (hint === undefined || message.includes(hint) ? message : `${message} (${hint})`);

/** Approximate number of characters that fit into an error body. */
const maxErrorLength = 440;

/** Lists as many problems as fit; `validate` lists all problems. */
function joinProblems(errors: readonly Diagnostic[]): string {
  const sentences = [...new Set(errors.map(sentence))];
  let text = sentences[0] as string;
  for (const [index, next] of sentences.slice(1).entries()) {
    if (text.length + next.length > maxErrorLength) {
      const others = sentences.length - 1 - index;
      return `${text} (and ${others} more ${others === 1 ? "problem" : "problems"})`;
    }
    text += `; ${next}`;
  }
  return text;
}
