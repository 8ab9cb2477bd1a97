// Stops calling steps that keep failing. The steps run on a copy, so that the fallback sees the original message.
import { CompileError, defineStep, FlowError, type Awaitable, type Exchange, type Processor } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { clauseFields } from "../clause.ts";
import { checkExceptionType, isOneOf } from "../exception-type.ts";
import { BoundedMap } from "../bounded-map.ts";
import { runBranch } from "../branch.ts";
import { mergeResult } from "../merge-result.ts";
import { after } from "../settle.ts";
import { Breaker } from "./breaker.ts";
import { breakerDefaults, breakerFields, type BreakerOptions } from "./breaker-fields.ts";

const maxSessions = 100;

type Outcome = "failed" | "timed-out" | "open" | "busy";

export const circuitBreaker = defineStep({
  name: "circuitBreaker",
  title: "Circuit breaker",
  summary: "Stops calling steps that keep failing and runs a fallback instead.",
  guarantees:
    "The nested steps run on a copy: when they fail, the fallback receives the message as it was before. The state of the circuit and its sliding window are stored in memory. They are not shared between nodes, and after a restart the circuit is closed. With several workers, the route runs in one of them. A call that exceeds its timeout is no longer awaited, but its work may still take effect.",
  group: "resilience",
  icon: "zap-off",
  paletteGroup: "errors",
  card: { title: "Protect" },
  since: "0.1",
  keywords: ["retry", "resilience", "fallback"],
  stepsTitle: "Protected",
  clausesInSteps: ["onFallback"],
  stateScope: "node",
  adoptsSiblings: true,
  options: {
    steps: f.steps({ doc: "The steps that may fail.", default: [] }),
    onFallback: f.object(
      {
        steps: f.steps({ doc: "Steps of the fallback.", default: [] }),
        fallbackViaNetwork: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
        ...clauseFields,
      },
      { title: "Fallback", doc: "Runs when the steps fail or the circuit is open." },
    ),
    resilience4jConfiguration: f.object(breakerFields, { doc: "Options that define when the circuit opens and closes." }),
    configuration: f.string({
      doc: "Name of a Resilience4jConfigurationDefinition under `beans`, as an alternative to resilience4jConfiguration.",
      group: "advanced",
    }),
    faultToleranceConfiguration: f.unsupported("faultToleranceConfiguration is for MicroProfile; use resilience4jConfiguration"),
    inheritErrorHandler: f.boolean({ doc: "Lets the error handler of the route handle failures before the fallback runs.", default: false, group: "advanced" }),
  },
  examples: [
    {
      title: "A fallback value",
      yaml: "circuitBreaker: {steps: [{throwException: {exceptionType: java.io.IOException, message: down}}], onFallback: {steps: [{setBody: {constant: plan B}}]}}",
      expect: { body: "plan B" },
    },
  ],
  compile({ steps, onFallback, resilience4jConfiguration, configuration, inheritErrorHandler }, compiler, node) {
    if (configuration !== undefined && resilience4jConfiguration !== undefined)
      throw new CompileError("option-conflict", "configuration and resilience4jConfiguration cannot be used together", {
        hint: "keep one of them",
        option: "configuration",
      });
    const sharedOptions = configuration === undefined ? undefined : (compiler.registry.bean(configuration, "circuit-breaker-configuration") as BreakerOptions);
    const options: BreakerOptions = sharedOptions ?? resilience4jConfiguration ?? breakerDefaults;
    [...options.recordException, ...options.ignoreException].forEach(checkExceptionType);
    const { host } = compiler;
    const run = compiler.steps(steps, inheritErrorHandler ? undefined : { errors: "off" });
    const fallback = onFallback === undefined || onFallback.disabled ? undefined : compiler.steps(onFallback.steps, { errors: "off" });
    const createBreaker = (): Breaker => new Breaker(options, () => host.clock.monotonic());
    const liveBreaker = createBreaker();
    const bySession = new BoundedMap<string, Breaker>(maxSessions, createBreaker);
    // Failures simulated by a test session must not open the circuit for live messages.
    const breakerOf = ({ run: { session } }: Exchange): Breaker => (session === undefined ? liveBreaker : bySession.get(session.id));
    let running = 0;

    const handleFailure = (exchange: Exchange, error: FlowError, outcome: Outcome): Awaitable => {
      setResultProperties(exchange, breakerOf(exchange).state, { fallback: fallback !== undefined, outcome });
      if (fallback !== undefined && !exchange.run.isCancelled) return useFallback(exchange, error, fallback);
      if (outcome === "open" && !options.throwExceptionWhenHalfOpenOrOpenState) return undefined;
      throw error;
    };

    return (exchange) => {
      const breaker = breakerOf(exchange);
      if (options.bulkheadEnabled && running >= options.bulkheadMaxConcurrentCalls) return handleFailure(exchange, bulkheadFullError(node.id), "busy");
      if (!breaker.permits()) return handleFailure(exchange, notPermittedError(node.id, breaker.state), "open");
      const copy = copyExchange(exchange, host.ids, { sameUnit: true });
      const startedAt = host.clock.monotonic();
      running++;
      const finish = (timedOut: boolean): Awaitable => {
        running--;
        const durationMs = host.clock.monotonic() - startedAt;
        const failure = timedOut ? timeoutError(options.timeoutDuration) : copy.failure;
        if (failure === undefined) {
          breaker.record(false, durationMs);
          setResultProperties(exchange, breaker.state, undefined);
          mergeResult(exchange, copy, { stops: true });
          return undefined;
        }
        if (isOneOf(failure, options.ignoreException)) {
          breaker.ignore();
          exchange.setProperty("CamelCircuitBreakerResponseIgnored", true);
          return undefined;
        }
        const countsAsFailure = options.recordException.length === 0 || isOneOf(failure, options.recordException);
        breaker.record(countsAsFailure, durationMs);
        return countsAsFailure ? handleFailure(exchange, failure, timedOut ? "timed-out" : "failed") : undefined;
      };
      const pending = runBranch({ copy, run });
      if (!(pending instanceof Promise)) return finish(false);
      if (!options.timeoutEnabled) return pending.then(() => finish(false));
      return after(
        timesOut(pending, options.timeoutDuration, (ms, run) => host.clock.after(ms, run)),
        finish,
      );
    };
  },
});

/** True when the timeout came first; a later result is ignored. */
function timesOut(pending: Promise<void>, ms: number, after: (ms: number, run: () => void) => () => void): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = after(ms, () => resolve(true));
    void pending.then(() => {
      cancel();
      resolve(false);
    });
  });
}

function useFallback(exchange: Exchange, error: FlowError, fallback: Processor): Awaitable {
  exchange.caught = error;
  exchange.setProperty("CamelExceptionCaught", error);
  return fallback(exchange);
}

function setResultProperties(exchange: Exchange, state: string, failure: { readonly fallback: boolean; readonly outcome: Outcome } | undefined): void {
  exchange.setProperty("CamelCircuitBreakerState", state);
  exchange.setProperty("CamelCircuitBreakerSuccessfulExecution", failure === undefined);
  exchange.setProperty("CamelCircuitBreakerResponseFromFallback", failure?.fallback === true);
  exchange.setProperty("CamelCircuitBreakerResponseShortCircuited", failure !== undefined && (failure.fallback || failure.outcome === "open"));
  exchange.setProperty("CamelCircuitBreakerResponseTimedOut", failure?.outcome === "timed-out");
  exchange.setProperty("CamelCircuitBreakerResponseRejected", failure?.outcome === "open" || failure?.outcome === "busy");
}

function notPermittedError(id: string, state: string): FlowError {
  return new FlowError(
    "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
    `CircuitBreaker '${id}' is ${state} and does not permit further calls`,
    { code: "circuit-open", retryable: true },
  );
}

function bulkheadFullError(id: string): FlowError {
  return new FlowError("io.github.resilience4j.bulkhead.BulkheadFullException", `Bulkhead '${id}' is full and does not permit further calls`, {
    code: "bulkhead-full",
    retryable: true,
  });
}

function timeoutError(ms: number): FlowError {
  return new FlowError("java.util.concurrent.TimeoutException", `the steps of the circuit breaker exceeded timeoutDuration (${ms} ms)`, {
    code: "circuit-timeout",
    retryable: true,
  });
}
