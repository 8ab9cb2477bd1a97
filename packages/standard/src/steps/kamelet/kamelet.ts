import { CompileError, defineStep, type Compiler } from "@sluice/engine/spi";
import { f, namedKamelet, type KameletUse, type StepNode } from "@sluice/model";

/** Compiles the steps of a Kamelet in place, so that they share the error handling and run history of the route. */
export const kamelet = defineStep({
  name: "kamelet",
  title: "Kamelet",
  summary: "Runs the steps of a Kamelet, or of a route template of this flow, with values for its parameters.",
  guarantees: "The steps of the Kamelet are compiled into the route: they run on the same exchange, in the same run and under the error handling of the route.",
  group: "routing",
  icon: "puzzle",
  paletteGroup: "send",
  card: { subtitle: "{name}" },
  since: "0.1",
  shorthand: "name",
  options: {
    name: f.string({ doc: "Name of the Kamelet or id of the route template; parameters can be appended as a query (`name?x=1`).", required: true }),
    parameters: f.parameters({ doc: "Values of the parameters.", default: {} }),
    steps: f.steps({ doc: "Steps to run after the steps of the Kamelet.", default: [] }),
  },
  examples: [
    {
      title: "A greeting with a parameter",
      yaml: `- routeTemplate:
    id: greet
    parameters:
      - name: word
    from:
      uri: kamelet:source
      steps:
        - setBody:
            simple: "{{word}} \${body}"
- route:
    id: example
    from:
      uri: direct:start
      steps:
        - kamelet:
            name: greet
            parameters:
              word: Hello
`,
      given: { body: "Ada" },
      expect: { body: "Hello Ada" },
    },
  ],
  compile: ({ name, parameters, steps }, compiler, node) => compiler.steps([...kameletSteps(namedKamelet(name, parameters), compiler, node), ...steps]),
});

/** The steps of the Kamelet or route template. */
export function kameletSteps(use: KameletUse, { registry }: Compiler, node: StepNode): readonly StepNode[] {
  const { name, fault } = use;
  if (fault !== undefined) throw new CompileError("endpoint-uri-invalid", `the query of Kamelet '${name}' is not valid: ${fault}`);
  return registry.template(use, `${node.id}-`);
}
