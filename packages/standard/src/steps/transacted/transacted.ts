import { CompileError, defineStep, ending, onExchangeEnd, type Exchange } from "@sluice/engine/spi";
import { OpenUnit } from "@sluice/engine/tools";
import { f } from "@sluice/model";

const propagations = ["PROPAGATION_REQUIRED", "PROPAGATION_REQUIRES_NEW"] as const;

/** Runs the sends of its steps in one transaction, where their connections support it. */
export const transacted = defineStep({
  name: "transacted",
  title: "Transaction",
  summary: "Runs the database work of its steps in one transaction, committed at their end or rolled back on failure.",
  guarantees:
    "Statements of one database connection are committed together at the end of the steps and rolled back when a step fails, when the exchange is rolled back or when the run is cancelled. There is no two-phase commit: with several databases, each one is committed separately. HTTP calls, files and queues are not part of the transaction, and neither are parallel branches.",
  group: "resilience",
  icon: "shield-check",
  paletteGroup: "errors",
  card: { title: "In one transaction" },
  since: "0.1",
  adoptsSiblings: true,
  shorthand: "ref",
  options: {
    ref: f.string({
      doc: "PROPAGATION_REQUIRED joins the current transaction or starts one; PROPAGATION_REQUIRES_NEW always starts a new one.",
      default: "PROPAGATION_REQUIRED",
    }),
    steps: f.steps({ doc: "The steps of the transaction; by default, all following steps.", default: [] }),
  },
  examples: [{ title: "All or nothing", yaml: "transacted: {steps: [{setBody: {constant: done}}]}", expect: { body: "done" } }],
  compile({ ref, steps }, compiler) {
    const propagation = propagations.find((name) => name === ref.trim());
    if (propagation === undefined)
      throw new CompileError("transacted-ref", `unknown transaction policy '${ref}'`, {
        hint: `write ${propagations.join(" or ")}, or omit ref`,
        option: "ref",
      });
    const run = compiler.steps(steps);
    return (exchange) => {
      if (exchange.unit !== undefined && propagation === "PROPAGATION_REQUIRED") return run(exchange);
      return within(exchange, new OpenUnit(), async () => run(exchange));
    };
  },
});

async function within(exchange: Exchange, unit: OpenUnit, run: () => Promise<void>): Promise<void> {
  const outer = exchange.unit;
  exchange.unit = unit;
  // A run that is cancelled externally does not return here.
  onExchangeEnd(exchange, () => unit.rollback());
  try {
    await run();
  } catch (error) {
    await unit.rollback();
    throw error;
  } finally {
    exchange.unit = outer;
  }
  if (exchange.ending === ending.rolledBack || exchange.ending === ending.cancelled) await unit.rollback();
  else await unit.commit();
}
