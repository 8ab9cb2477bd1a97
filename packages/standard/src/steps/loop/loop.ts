import {
  asText,
  cancelledError,
  copyExchange,
  defineStep,
  each,
  FlowError,
  type Awaitable,
  type Compiler,
  type Exchange,
  type Processor,
} from "@sluice/engine/spi";
import { f, type ExpressionNode } from "@sluice/model";
import { mergeResult } from "../merge-result.ts";
import { after } from "../settle.ts";

/** Runs its steps several times on the same message, or on a fresh copy each time. */
export const loop = defineStep({
  name: "loop",
  title: "Loop",
  summary: "Runs its steps several times.",
  group: "routing",
  icon: "repeat",
  since: "0.1",
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "How often; with doWhile, the condition checked before each round.", required: true, inline: true }),
    copy: f.boolean({ doc: "Starts each round with the message as it was before the loop.", default: false }),
    doWhile: f.boolean({ doc: "Repeats while the condition holds.", default: false }),
    breakOnShutdown: f.boolean({ doc: "Accepted without effect: a stopping flow finishes its messages.", default: false, group: "advanced" }),
    steps: f.steps({ doc: "The steps of one round.", default: [] }),
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
    const rounds = doWhile ? whileTrue(expression, compiler) : counted(expression, compiler);
    return (exchange) => {
      if (copy) return copies(exchange, run, rounds, compiler);
      return each(
        rounds(exchange, () => exchange),
        (index) => {
          exchange.setProperty("CamelLoopIndex", index);
          return after(run(exchange), () => exchange.ending === 0);
        },
        host.clock,
      );
    };
  },
});

/** The indexes of the rounds to come; `latest` is the exchange as the last round left it. */
type Rounds = (exchange: Exchange, latest: () => Exchange) => Iterator<number>;

function copies(exchange: Exchange, run: Processor, rounds: Rounds, { host }: Compiler): Awaitable {
  let last = exchange;
  const all = each(
    rounds(exchange, () => last),
    (index) => {
      const copy = copyExchange(exchange, host.ids);
      copy.setProperty("CamelLoopIndex", index);
      last = copy;
      return after(run(copy), () => copy.ending === 0);
    },
    host.clock,
  );
  return after(all, () => mergeResult(exchange, last, { stops: true }));
}

function counted(expression: ExpressionNode, compiler: Compiler): Rounds {
  const value = compiler.expression(expression);
  return (exchange) => {
    const count = wholeNumber(value(exchange));
    exchange.setProperty("CamelLoopSize", count);
    return indexes(exchange, (index) => index < count);
  };
}

function whileTrue(expression: ExpressionNode, compiler: Compiler): Rounds {
  const holds = compiler.predicate(expression);
  return (exchange, latest) => indexes(exchange, () => holds(latest()));
}

function* indexes(exchange: Exchange, goesOn: (index: number) => boolean): Generator<number> {
  for (let index = 0; goesOn(index); index++) {
    if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
    yield index;
  }
}

function wholeNumber(value: unknown): number {
  const text = asText(value).trim();
  const count = text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(count))
    throw new FlowError("org.apache.camel.NoTypeConversionAvailableException", `loop: '${text}' is no number of rounds`, { code: "loop-count-invalid" });
  return Math.trunc(count);
}
