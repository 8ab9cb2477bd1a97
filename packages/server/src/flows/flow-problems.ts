// What is wrong with a flow, in the words of the API: one sentence for an error body, or all of it for validate.
import type { Conflict, Prepared } from "@sluice/engine";
import type { Diagnostic } from "@sluice/model";
import { Refusal } from "../refusal.ts";

export interface Problem {
  readonly severity: "error" | "warning";
  readonly line: number;
  readonly column: number;
  readonly routeId: string | null;
  readonly stepId: string | null;
  readonly code: string;
  readonly message: string;
}

/** Faults that stand for themselves: a line number or a hint would say nothing more. */
const standsAlone = ({ code, message }: Diagnostic): boolean => code === "flow-reserved-path" || message === "flow defines no routes";

/** Throws the first fault as an error body's sentence, unless the flow can be deployed. */
export function refuseProblems({ flow, leftOut, diagnostics, conflicts }: Prepared): void {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const first = errors[0];
  if (first !== undefined) throw new Refusal(isSyntax(first) ? "yaml-invalid" : "flow-invalid", sentence(first) + more(errors.length - 1));
  // Definitions that others use make a library, and routes may be switched off by their preconditions; nothing at all is a mistake.
  if (flow.routes.length + leftOut === 0 && flow.entities.length === 0) throw new Refusal("flow-invalid", "flow defines no routes");
  const conflict = conflicts[0];
  if (conflict !== undefined) throw new Refusal("conflict", conflictSentence(conflict));
}

/** Everything found, in the order of the document. */
export function listProblems({ diagnostics, conflicts }: Prepared): readonly Problem[] {
  const found = diagnostics.map((diagnostic) => ({
    severity: diagnostic.severity,
    line: diagnostic.span.line,
    column: diagnostic.span.column,
    routeId: diagnostic.routeId ?? null,
    stepId: diagnostic.stepId ?? null,
    code: diagnostic.code,
    message: withHint(diagnostic),
  }));
  found.sort((a, b) => a.line - b.line || a.column - b.column);
  const clashes = conflicts.map((conflict) => ({
    severity: "error" as const,
    line: 1,
    column: 1,
    routeId: conflict.kind === "route-id" ? conflict.name : null,
    stepId: null,
    code: `flow-conflict-${conflict.kind}`,
    message: conflictSentence(conflict),
  }));
  return [...found, ...clashes];
}

export function warningsOf({ diagnostics }: Prepared): readonly string[] {
  return diagnostics.filter((diagnostic) => diagnostic.severity === "warning").map(sentence);
}

/** Faults of the YAML itself: the text could not be read, so nothing can be said about the flow. */
const isSyntax = (diagnostic: Diagnostic): boolean => diagnostic.code.startsWith("yaml-");

function sentence(diagnostic: Diagnostic): string {
  const { line, column } = diagnostic.span;
  if (isSyntax(diagnostic)) return `invalid YAML at line ${line}, column ${column}: ${withHint(diagnostic)}`;
  return standsAlone(diagnostic) ? diagnostic.message : `line ${line}: ${withHint(diagnostic)}`;
}

/** Some messages end with their remedy already. */
const withHint = ({ message, hint }: Diagnostic): string => (hint === undefined || message.includes(hint) ? message : `${message} (${hint})`);
const more = (count: number): string => (count === 0 ? "" : ` (and ${count} more)`);

function conflictSentence({ kind, name, routeId, flowId }: Conflict): string {
  return kind === "route-id" ? `route id '${name}' is already used by flow '${flowId}'` : `${name} is already served by route '${routeId}' of flow '${flowId}'`;
}
