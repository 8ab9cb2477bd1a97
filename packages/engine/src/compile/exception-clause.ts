// onException clauses: selects the clause for a failure.
import { inheritanceDistance } from "../errors/exception-types.ts";
import type { FlowError } from "../errors/flow-error.ts";
import { toFlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Expression, Processor } from "../spi/processor.ts";
import type { RedeliveryPolicy } from "./redelivery-policy.ts";

/** One compiled onException. */
export interface ExceptionClause {
  readonly types: readonly string[];
  readonly when: Expression<boolean> | undefined;
  /** The condition as written. A later clause with the same types and condition replaces an earlier one. */
  readonly whenText: string;
  readonly handled: Expression<boolean> | undefined;
  readonly continued: Expression<boolean> | undefined;
  readonly retryWhile: Expression<boolean> | undefined;
  /** Undefined when the clause does not define a policy. */
  readonly policy: RedeliveryPolicy | undefined;
  readonly steps: Processor | undefined;
  readonly original: "message" | "body" | undefined;
}

interface Candidate {
  readonly clause: ExceptionClause;
  readonly distance: number;
}

/**
 * The clause for a failure. The cause chain is walked from the root cause up; the first error with a matching clause decides. The clause with the
 * smallest inheritance distance applies; at equal distance, the one of the first level (route before document).
 */
export function pickClause(levels: readonly (readonly ExceptionClause[])[], error: FlowError, exchange: Exchange): ExceptionClause | undefined {
  const chain: FlowError[] = [];
  for (let link: unknown = error; link instanceof Error && chain.length < 20; link = link.cause) chain.unshift(toFlowError(link));
  for (const link of chain) {
    const found = closestClause(levels, link.type, exchange);
    if (found !== undefined) return found;
  }
  return undefined;
}

function closestClause(levels: readonly (readonly ExceptionClause[])[], type: string, exchange: Exchange): ExceptionClause | undefined {
  let best: Candidate | undefined;
  for (const clauses of levels) {
    for (const clause of clauses) {
      const distance = smallestDistance(clause.types, type);
      if (distance === undefined || (best !== undefined && distance >= best.distance)) continue;
      if (clause.when !== undefined && !clause.when(exchange)) continue;
      best = { clause, distance };
    }
  }
  return best?.clause;
}

function smallestDistance(types: readonly string[], type: string): number | undefined {
  let best: number | undefined;
  for (const name of types) {
    const distance = inheritanceDistance(type, name);
    if (distance !== undefined && (best === undefined || distance < best)) best = distance;
  }
  return best;
}

/** Removes clauses that a later identical one replaces. */
export function withoutDuplicates(clauses: readonly ExceptionClause[]): readonly ExceptionClause[] {
  const unique = new Map<string, ExceptionClause>();
  for (const clause of clauses) unique.set(`${clause.types.join(",")}?${clause.whenText}`, clause);
  return [...unique.values()];
}
