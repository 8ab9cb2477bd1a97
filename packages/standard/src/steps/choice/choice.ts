import { CompileError, defineStep, Exchange, Message, Run, type Compiler, type Expression, type Processor } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { clauseFields } from "../clause.ts";

interface Branch {
  readonly matches: Expression<boolean>;
  readonly steps: Processor;
}

/** Runs the first branch whose condition is true, on the same exchange. */
export const choice = defineStep({
  name: "choice",
  title: "Choice",
  summary: "Runs the first branch whose condition is true, or the `otherwise` branch.",
  guarantees:
    "At most one branch runs, on the same exchange and in the same run, so the order of messages does not change. Conditions are evaluated in the order they are written.",
  group: "routing",
  icon: "git-branch",
  paletteGroup: "decide",
  card: { subtitle: "First match" },
  since: "0.1",
  keywords: ["if", "switch", "case", "condition", "else"],
  maySkipSteps: true,
  options: {
    when: f.list(
      f.object(
        {
          expression: f.expression({
            doc: "Condition of this branch.",
            required: true,
            inline: true,
          }),
          steps: f.steps({ doc: "Steps of the branch.", default: [] }),
          ...clauseFields,
        },
        { doc: "One branch.", required: true },
      ),
      { title: "When", doc: "The branches, tried in order.", default: [] },
    ),
    otherwise: f.object(
      {
        steps: f.steps({ doc: "Steps to run when no condition is true.", default: [] }),
        ...clauseFields,
      },
      { title: "Otherwise", doc: "The branch to run when no condition is true." },
    ),
    precondition: f.boolean({
      doc: "Evaluates the conditions once at start, from placeholders; only the chosen branch is compiled.",
      default: false,
      group: "advanced",
    }),
  },
  examples: [
    {
      title: "By size",
      yaml: 'choice: {when: [{simple: "${body} > 100", steps: [{setBody: {constant: big}}]}], otherwise: {steps: [{setBody: {constant: small}}]}}',
      given: { body: 7 },
      expect: { body: "small" },
    },
  ],
  compile({ when, otherwise, precondition }, compiler) {
    const clauses = when.filter((clause) => !clause.disabled);
    const otherwiseSteps = otherwise === undefined || otherwise.disabled ? undefined : otherwise.steps;
    if (precondition) {
      const chosen = clauses.find((clause) => holdsAtStart(compiler.predicate(clause.expression), compiler));
      return compiler.steps(chosen?.steps ?? otherwiseSteps ?? []);
    }
    const branches = clauses.map((clause): Branch => ({
      matches: compiler.predicate(clause.expression),
      steps: compiler.steps(clause.steps),
    }));
    const runOtherwise = compiler.steps(otherwiseSteps ?? []);
    return (exchange) => {
      for (const branch of branches) if (branch.matches(exchange)) return branch.steps(exchange);
      return runOtherwise(exchange);
    };
  },
});

/** A precondition may use placeholders only, which are already resolved, so it is evaluated with an empty message. */
function holdsAtStart(predicate: Expression<boolean>, compiler: Compiler): boolean {
  const run = new Run("precondition", compiler.route, 0, { uri: "" });
  try {
    return predicate(new Exchange("precondition", run, "InOnly", new Message(null)));
  } catch (error) {
    throw new CompileError("precondition-failed", `the precondition cannot be evaluated at start: ${(error as Error).message}`, {
      hint: "use only placeholders such as {{name}} in a precondition",
    });
  }
}
