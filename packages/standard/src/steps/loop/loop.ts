import { defineStep, FlowError, type Awaitable, type Compiler, type Exchange, type Processor } from "@sluice/engine/spi";
import { cancelledError, copyExchange, each } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f, type ExpressionNode } from "@sluice/model";
import { mergeResult } from "../merge-result.ts";
import { after } from "../settle.ts";

/** Runs its steps several times on the same message, or on a new copy each time. */
export const loop = defineStep({
  name: "loop",
  title: "Loop",
  summary: "Runs its steps several times.",
  guarantees:
    "Iterations run one after another. Long loops yield regularly, so that other messages make progress. doWhile has no iteration limit: the timeout of the run ends an endless loop.",
  group: "routing",
  icon: "repeat",
  paletteGroup: "repeat",
  card: { title: "Repeat", subtitle: "{expression}" },
  since: "0.1",
  keywords: ["for", "repeat", "iterate", "while"],
  adoptsSiblings: true,
  stepsTitle: "Repeat",
  options: {
    expression: f.expression({ doc: "Number of iterations; with doWhile, the condition evaluated before each iteration.", required: true, inline: true }),
    copy: f.boolean({ doc: "Starts each iteration with the message as it was before the loop.", default: false }),
    doWhile: f.boolean({ doc: "Repeats while the condition is true.", default: false }),
    onPrepare: f.unsupported("onPrepare refers to a Java processor; do this work in the first step of the loop"),
    breakOnShutdown: f.boolean({ doc: "Accepted but ignored: a stopping flow finishes its messages.", default: false, group: "advanced" }),
    steps: f.steps({ doc: "The steps of one iteration.", default: [] }),
  },
  examples: [
    {
      title: "Three times",
      yaml: 'loop: {constant: "3", steps: [{setBody: {simple: "${body}${exchangeProperty.CamelLoopIndex}"}}]}',
      given: { body: "-" },
      expect: { body: "-012" },
    },
  ],
  compile({ expression, copy, doWhile, steps }, compiler) {
    const { host } = compiler;
    const run = compiler.steps(steps);
    const iterations = doWhile ? whileIterations(expression, compiler) : countedIterations(expression, compiler);
    return (exchange) => {
      if (copy) return runOnCopies(exchange, run, iterations, compiler);
      return each(
        iterations(exchange, () => exchange),
        (index) => {
          exchange.setProperty("CamelLoopIndex", index);
          return after(run(exchange), () => exchange.ending === 0);
        },
        host.clock,
      );
    };
  },
});

/** Yields the iteration indexes; `latest` returns the exchange of the most recent iteration. */
type Iterations = (exchange: Exchange, latest: () => Exchange) => Iterator<number>;

function runOnCopies(exchange: Exchange, run: Processor, iterations: Iterations, { host }: Compiler): Awaitable {
  let last = exchange;
  const all = each(
    iterations(exchange, () => last),
    (index) => {
      const copy = copyExchange(exchange, host.ids, { sameUnit: true });
      copy.setProperty("CamelLoopIndex", index);
      last = copy;
      return after(run(copy), () => copy.ending === 0);
    },
    host.clock,
  );
  return after(all, () => mergeResult(exchange, last, { stops: true }));
}

function countedIterations(expression: ExpressionNode, compiler: Compiler): Iterations {
  const value = compiler.expression(expression);
  return (exchange) => {
    const count = toInteger(value(exchange));
    exchange.setProperty("CamelLoopSize", count);
    return indexes(exchange, (index) => index < count);
  };
}

function whileIterations(expression: ExpressionNode, compiler: Compiler): Iterations {
  const holds = compiler.predicate(expression);
  return (exchange, latest) => indexes(exchange, () => holds(latest()));
}

function* indexes(exchange: Exchange, continues: (index: number) => boolean): Generator<number> {
  for (let index = 0; continues(index); index++) {
    if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
    yield index;
  }
}

function toInteger(value: unknown): number {
  const text = asText(value).trim();
  const count = text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(count))
    throw new FlowError(
      "org.apache.camel.NoTypeConversionAvailableException",
      `loop: the number of iterations must be a number, got '${text}'; for a condition, set doWhile: true`,
      { code: "loop-count-invalid" },
    );
  return Math.trunc(count);
}
