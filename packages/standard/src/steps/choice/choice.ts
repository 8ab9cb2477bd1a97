import { CompileError, defineStep, Exchange, Message, Run, type Compiler, type Expression, type Processor } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { clauseFields } from "../clause.ts";

interface Branch {
  readonly matches: Expression<boolean>;
  readonly steps: Processor;
}

/** Takes the first branch whose condition holds. What the branch changes stays changed. */
export const choice = defineStep({
  name: "choice",
  title: "Choice",
  summary: "Takes the first branch that matches, or the otherwise branch.",
  group: "routing",
  icon: "git-branch",
  since: "0.1",
  options: {
    when: f.list(
      f.object(
        {
          expression: f.expression({
            doc: "When this branch is taken.",
            required: true,
            inline: true,
          }),
          steps: f.steps({ doc: "What the branch does.", default: [] }),
          ...clauseFields,
        },
        { doc: "One branch.", required: true },
      ),
      { doc: "The branches, tried in order.", default: [] },
    ),
    otherwise: f.object(
      {
        steps: f.steps({ doc: "What happens when no branch matches.", default: [] }),
        ...clauseFields,
      },
      { doc: "The branch for everything else." },
    ),
    precondition: f.boolean({
      doc: "Decides once at start, from placeholders; only the chosen branch exists.",
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
    const rest = otherwise === undefined || otherwise.disabled ? undefined : otherwise.steps;
    if (precondition) {
      const chosen = clauses.find((clause) => holdsAtStart(compiler.predicate(clause.expression), compiler));
      return compiler.steps(chosen?.steps ?? rest ?? []);
    }
    const branches = clauses.map((clause): Branch => ({
      matches: compiler.predicate(clause.expression),
      steps: compiler.steps(clause.steps),
    }));
    const last = compiler.steps(rest ?? []);
    return (exchange) => {
      for (const branch of branches) if (branch.matches(exchange)) return branch.steps(exchange);
      return last(exchange);
    };
  },
});

/** A precondition may speak of placeholders only; they are text by now, so an empty message is all it can see. */
function holdsAtStart(predicate: Expression<boolean>, compiler: Compiler): boolean {
  const run = new Run("precondition", compiler.route, 0, { uri: "" });
  try {
    return predicate(new Exchange("precondition", run, "InOnly", new Message(null)));
  } catch (thrown) {
    throw new CompileError("precondition-failed", `the precondition cannot be decided at start: ${(thrown as Error).message}`);
  }
}
