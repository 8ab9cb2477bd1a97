// The error handler around a step: redelivers, then runs a matching clause or the dead letter endpoint. A failure that neither
// handles is passed on as exhausted, so that outer handlers do not handle it again.
import { ending, type Exchange } from "../exchange/exchange.ts";
import { FlowError, toFlowError } from "../errors/flow-error.ts";
import type { Message } from "../exchange/message.ts";
import type { RunEvents } from "./run-events.ts";
import type { Host, LogLevel } from "../spi/host.ts";
import { pause } from "../tools/pacing.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import { pickClause, type ExceptionClause } from "./exception-clause.ts";
import { noRedelivery, type RedeliveryPolicy } from "./redelivery-policy.ts";
import type { WiredStep } from "./wiring.ts";

export interface ErrorHandlerPlan {
  readonly kind: "default" | "dead-letter" | "none";
  readonly policy: RedeliveryPolicy;
  /** Clauses of the route first, then those of the document. */
  readonly clauses: readonly (readonly ExceptionClause[])[];
  readonly deadLetter: Processor | undefined;
  readonly deadLetterOriginal: "message" | "body" | undefined;
}

/** True when each step needs a guard; otherwise the route boundary handles all failures. */
export function guardsSteps(plan: ErrorHandlerPlan): boolean {
  return plan.kind !== "none" && (plan.kind === "dead-letter" || plan.policy.maximum !== 0 || plan.clauses.some((level) => level.length > 0));
}

/** True when a handler restores the message as it entered the route, or a dead-letter store may need it. */
export function needsOriginal(plan: ErrorHandlerPlan): boolean {
  return (
    plan.kind === "dead-letter" || plan.deadLetterOriginal !== undefined || plan.clauses.some((level) => level.some((clause) => clause.original !== undefined))
  );
}

export function errorHandler(plan: ErrorHandlerPlan, host: Host, listener: RunEvents, isStopping: () => boolean): (step: WiredStep) => Processor {
  const redelivers =
    plan.policy.maximum !== 0 || plan.clauses.some((level) => level.some((clause) => clause.retryWhile !== undefined || (clause.policy?.maximum ?? 0) !== 0));

  return (step) => (exchange) => {
    const messageBefore = redelivers ? exchange.message.copy() : undefined;
    let pending: Awaitable;
    try {
      pending = step.inner(exchange);
    } catch (error) {
      return recover(step, exchange, error, messageBefore);
    }
    return pending === undefined ? undefined : pending.then(undefined, (error: unknown) => recover(step, exchange, error, messageBefore));
  };

  function recover(step: WiredStep, exchange: Exchange, thrown: unknown, messageBefore: Message | undefined): Awaitable {
    const error = recordFailure(exchange, thrown);
    if (error.exhausted || exchange.run.isCancelled) throw error;
    const clause = pickClause(plan.clauses, error, exchange);
    if (messageBefore === undefined || error.rollback || !mayRedeliver(clause)) return conclude(exchange, error, clause, 0);
    return redeliver(step, exchange, error, messageBefore);
  }

  function mayRedeliver(clause: ExceptionClause | undefined): boolean {
    return clause?.retryWhile !== undefined || policyOf(clause).maximum !== 0;
  }

  /** A clause with steps but no policy disables redelivery for its types; without either, the handler's policy applies. */
  function policyOf(clause: ExceptionClause | undefined): RedeliveryPolicy {
    if (clause === undefined) return plan.policy;
    return clause.policy ?? (clause.steps === undefined ? plan.policy : noRedelivery);
  }

  async function redeliver(step: WiredStep, exchange: Exchange, first: FlowError, messageBefore: Message): Promise<void> {
    let error = first;
    for (let attempt = 1; ; attempt++) {
      const clause = pickClause(plan.clauses, error, exchange);
      const policy = policyOf(clause);
      markRedelivery(exchange, attempt, policy.maximum);
      const shouldRetry = clause?.retryWhile === undefined ? policy.maximum < 0 || attempt <= policy.maximum : clause.retryWhile(exchange);
      if (!shouldRetry || (isStopping() && !policy.whileStopping)) return conclude(exchange, error, clause, attempt - 1);
      const delayMs = policy.delay(attempt, () => host.random());
      exchange.run.redeliveries++;
      exchange.run.status = "retrying";
      exchange.attempt = attempt;
      log(policy.retryLevel(attempt), exchange, error, () => `attempt ${attempt} failed, next attempt in ${Math.round(delayMs)} ms`);
      listener.retrying(exchange.run, exchange, error, delayMs);
      await pause(exchange, delayMs, host.clock);
      exchange.message = messageBefore.copy();
      markRedelivery(exchange, attempt, policy.maximum);
      exchange.at = step.node;
      exchange.attempt = attempt + 1;
      try {
        await step.inner(exchange);
        endRetry(exchange);
        return;
      } catch (thrown) {
        error = recordFailure(exchange, thrown);
        endRetry(exchange);
        if (error.exhausted || exchange.run.isCancelled) throw error;
        if (error.rollback) return conclude(exchange, error, pickClause(plan.clauses, error, exchange), attempt);
      }
    }
  }

  function log(level: LogLevel | undefined, exchange: Exchange, error: FlowError, outcome: () => string): void {
    if (level === undefined || !host.log.enabled(level)) return;
    const { id } = exchange.run.route;
    host.log.write(
      level,
      id,
      `Route '${id}' failed${error.stepId === undefined ? "" : ` at step '${error.stepId}'`}: ${error.message} (${outcome()})`,
      exchange,
    );
  }

  function endRetry(exchange: Exchange): void {
    exchange.attempt = 1;
    if (exchange.run.status === "retrying") exchange.run.status = "running";
  }

  /** No attempts left: run the clause's steps or the dead letter endpoint, else return the failure to the caller. */
  function conclude(exchange: Exchange, error: FlowError, clause: ExceptionClause | undefined, redeliveries: number): Awaitable {
    endRetry(exchange);
    const useDeadLetter = plan.deadLetter !== undefined && clause?.steps === undefined;
    const handled = useDeadLetter || clause?.handled?.(exchange) === true;
    const continued = !handled && clause?.continued?.(exchange) === true;
    const { handledLevel, continuedLevel } = policyOf(clause);
    if (handled) log(handledLevel, exchange, error, () => (useDeadLetter ? "sent to the dead letter endpoint" : "the failure was handled"));
    else if (continued) log(continuedLevel, exchange, error, () => "the route continues");
    if (handled || continued) clearRedelivery(exchange);
    else if (plan.policy.maximum !== 0 || clause !== undefined) setRedeliveryCount(exchange, redeliveries);
    const target = useDeadLetter ? plan.deadLetter : clause?.steps;
    if (target !== undefined) restoreOriginal(exchange, useDeadLetter ? plan.deadLetterOriginal : clause?.original);
    const pattern = exchange.pattern;
    if (useDeadLetter) exchange.pattern = "InOnly";
    const after = (): void => {
      exchange.pattern = pattern;
      finish(exchange, error, handled, continued);
    };
    const failWithNewError = (error: unknown): never => {
      exchange.pattern = pattern;
      const newError = toFlowError(error);
      newError.exhausted = true;
      throw newError;
    };
    let pending: Awaitable;
    try {
      pending = target?.(exchange);
    } catch (error) {
      return failWithNewError(error);
    }
    if (pending === undefined) return after();
    return pending.then(after, failWithNewError);
  }

  function finish(exchange: Exchange, error: FlowError, handled: boolean, continued: boolean): void {
    if (handled) {
      exchange.run.handled = true;
      exchange.run.failure = error;
      if (exchange.ending === ending.none) exchange.ending = ending.handled;
      return;
    }
    if (continued) {
      exchange.run.handled = true;
      return;
    }
    error.exhausted = true;
    throw error;
  }
}

/** Stores a failure where handlers and expressions can read it, and records the step that failed. */
export function recordFailure(exchange: Exchange, thrown: unknown): FlowError {
  const error = toFlowError(thrown);
  error.stepId ??= exchange.at?.id;
  error.routeId ??= exchange.run.route.id;
  exchange.caught = error;
  exchange.setProperty("CamelExceptionCaught", error);
  exchange.setProperty("CamelFailureRouteId", error.routeId);
  const endpoint = exchange.property("CamelToEndpoint");
  if (endpoint !== undefined) exchange.setProperty("CamelFailureEndpoint", endpoint);
  return error;
}

function markRedelivery(exchange: Exchange, attempt: number, maximum: number): void {
  const { headers } = exchange.message;
  headers.set("CamelRedelivered", true);
  headers.set("CamelRedeliveryCounter", attempt);
  if (maximum > 0) headers.set("CamelRedeliveryMaxCounter", maximum);
}

function clearRedelivery(exchange: Exchange): void {
  const { headers } = exchange.message;
  headers.delete("CamelRedelivered");
  headers.delete("CamelRedeliveryCounter");
  headers.delete("CamelRedeliveryMaxCounter");
}

function setRedeliveryCount(exchange: Exchange, redeliveries: number): void {
  exchange.message.headers.set("CamelRedelivered", redeliveries > 0);
  exchange.message.headers.set("CamelRedeliveryCounter", redeliveries);
}

function restoreOriginal(exchange: Exchange, which: "message" | "body" | undefined): void {
  if (which === undefined || exchange.original === undefined) return;
  if (which === "message") exchange.message = exchange.original.copy();
  else exchange.message.body = exchange.original.body;
}
