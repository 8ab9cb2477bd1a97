// try, catch and finally for steps. The error handling of the route does not apply inside; called routes still use their own.
import { defineStep, ending, type Awaitable, type Compiler, type Exchange, type Expression, type FlowError, type Processor } from "@sluice/engine/spi";
import { f, type ExpressionNode, type StepNode } from "@sluice/model";
import { clauseFields } from "../clause.ts";
import { checkExceptionType, isOneOf } from "../exception-type.ts";
import { after, settle } from "../settle.ts";

interface Catch {
  readonly types: readonly string[];
  readonly when: Expression<boolean> | undefined;
  readonly steps: Processor;
}

export const doTry = defineStep({
  name: "doTry",
  title: "Try",
  summary: "Runs steps and handles their failures in place.",
  guarantees:
    "The error handler of the route is off inside doTry: a failure that is handled here causes no redelivery and no dead letter. doFinally runs after success and failure, but not when the run is stopped or cancelled. A rollback fails the exchange even if a doCatch clause matches: the clause runs first.",
  group: "errors",
  icon: "shield",
  paletteGroup: "errors",
  since: "0.1",
  keywords: ["catch", "error", "exception", "finally", "retry"],
  stepsTitle: "Try",
  clausesInSteps: ["doCatch", "doFinally"],
  options: {
    steps: f.steps({ doc: "The steps that may fail.", default: [] }),
    doCatch: f.list(
      f.object(
        {
          exception: f.list(f.string({ doc: "A fully qualified exception type.", required: true, names: "exception" }), {
            doc: "Exception types this clause handles, including subtypes.",
            required: true,
          }),
          onWhen: f.expression({ doc: "An additional condition; it can read the exception." }),
          steps: f.steps({ doc: "Steps that handle the failure.", default: [] }),
          ...clauseFields,
        },
        { doc: "One clause.", required: true },
      ),
      { title: "If it fails with", doc: "The clauses; the first that matches handles the failure.", default: [] },
    ),
    doFinally: f.object(
      {
        steps: f.steps({ doc: "Steps that run after success and failure.", default: [] }),
        ...clauseFields,
      },
      { title: "Always", doc: "Runs after success and failure." },
    ),
  },
  examples: [
    {
      title: "A fallback",
      yaml: `doTry: {steps: [{throwException: {exceptionType: java.io.IOException, message: down}}], doCatch: [{exception: [java.io.IOException], steps: [{setBody: {simple: "fallback: \${exception.message}"}}]}]}`,
      expect: { body: "fallback: down" },
    },
  ],
  compile({ steps, doCatch, doFinally }, compiler) {
    const inner = compiler.steps(steps, { errors: "off" });
    const clauses = doCatch.filter((clause) => !clause.disabled).map((clause) => compileCatch(clause, compiler));
    const runWithCatch = (exchange: Exchange): Awaitable =>
      settle(
        () => inner(exchange),
        () => undefined,
        (error) => handle(exchange, error, clauses),
      );
    if (doFinally === undefined || doFinally.disabled) return markExhausted(runWithCatch);
    const runFinally = compiler.steps(doFinally.steps, { errors: "off" });
    return markExhausted((exchange) =>
      settle(
        () => runWithCatch(exchange),
        () => finish(exchange, runFinally),
        (error) =>
          settle(
            () => finish(exchange, runFinally),
            () => rethrow(error),
            () => rethrow(error),
          ),
      ),
    );
  },
});

/** A failure that leaves a doTry is handled by an outer doTry or by the caller, not by the error handling of the route. */
function markExhausted(run: Processor): Processor {
  return (exchange) =>
    settle(
      () => run(exchange),
      () => undefined,
      (error) => {
        error.exhausted = true;
        throw error;
      },
    );
}

function compileCatch(
  clause: {
    exception: readonly string[];
    onWhen: ExpressionNode | undefined;
    steps: readonly StepNode[];
  },
  compiler: Compiler,
): Catch {
  const types = clause.exception;
  types.forEach(checkExceptionType);
  return {
    types,
    when: clause.onWhen === undefined ? undefined : compiler.predicate(clause.onWhen),
    steps: compiler.steps(clause.steps, { errors: "off" }),
  };
}

function handle(exchange: Exchange, error: FlowError, clauses: readonly Catch[]): Awaitable {
  error.stepId ??= exchange.at?.id;
  error.routeId ??= exchange.run.route.id;
  exchange.caught = error;
  // Cancelled externally: run no further steps.
  if (exchange.run.isCancelled) throw error;
  const clause = clauses.find(({ types, when }) => isOneOf(error, types) && (when === undefined || when(exchange)));
  if (clause === undefined) throw error;
  exchange.setProperty("CamelExceptionCaught", error);
  exchange.setProperty("CamelFailureRouteId", error.routeId);
  const endpoint = exchange.property("CamelToEndpoint");
  if (endpoint !== undefined) exchange.setProperty("CamelFailureEndpoint", endpoint);
  return after(clause.steps(exchange), () => {
    // A rollback cannot be undone: the clause runs, but the exchange still fails.
    if (error.rollback) throw error;
    exchange.run.handled = true;
  });
}

/** Runs the finally steps, except for a stopped or cancelled exchange. An exchange that had ended before them stays ended. */
function finish(exchange: Exchange, runFinally: Processor): Awaitable {
  const previousEnding = exchange.ending;
  if (previousEnding === ending.stopped || exchange.run.isCancelled) return undefined;
  exchange.ending = ending.none;
  return settle(
    () => runFinally(exchange),
    () => {
      if (exchange.ending === ending.none) exchange.ending = previousEnding;
    },
    rethrow,
  );
}

const rethrow = (error: FlowError): never => {
  throw error;
};
