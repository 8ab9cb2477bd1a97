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
 * The clause for a failure. The cause chain is walked from the root cause up; an exact type wins immediately, then the smallest inheritance
 * distance. At equal distance, levels apply in order (route before document).
 */
export function pickClause(levels: readonly (readonly ExceptionClause[])[], error: FlowError, exchange: Exchange): ExceptionClause | undefined {
  const chain: FlowError[] = [];
  for (let link: unknown = error; link instanceof Error && chain.length < 20; link = link.cause) chain.unshift(toFlowError(link));
  for (const link of chain) {
    const found = nearest(levels, link.type, exchange);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nearest(levels: readonly (readonly ExceptionClause[])[], type: string, exchange: Exchange): ExceptionClause | undefined {
  let best: Candidate | undefined;
  for (const clauses of levels) {
    for (const clause of clauses) {
      const distance = closest(clause.types, type);
      if (distance === undefined || (best !== undefined && distance >= best.distance)) continue;
      if (clause.when !== undefined && !clause.when(exchange)) continue;
      best = { clause, distance };
    }
  }
  return best?.clause;
}

function closest(types: readonly string[], type: string): number | undefined {
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
