import { CompileError, defineStep, type Compiler } from "@sluice/engine/spi";
import { f, parseQuery, type StepNode } from "@sluice/model";

/** The steps of a template stand where the kamelet is used, so they share the route's error handling and run history. */
export const kamelet = defineStep({
  name: "kamelet",
  title: "Kamelet",
  summary: "Runs the steps of a route template of this flow, with values for its parameters.",
  group: "routing",
  icon: "puzzle",
  since: "0.1",
  shorthand: "name",
  options: {
    name: f.string({ doc: "Id of the route template; a query behind it (`name?x=1`) gives parameters too.", required: true }),
    parameters: f.parameters({ doc: "Values of the template's parameters.", default: {} }),
    steps: f.steps({ doc: "Steps to run after the template's.", default: [] }),
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
  compile: ({ name, parameters, steps }, compiler, node) => compiler.steps([...kameletSteps(name, parameters, compiler, node), ...steps]),
});

/** The steps of the template that `name?x=1` asks for. */
export function kameletSteps(name: string, parameters: Readonly<Record<string, string>>, { registry }: Compiler, node: StepNode): readonly StepNode[] {
  const question = name.indexOf("?");
  const template = question < 0 ? name : name.slice(0, question);
  const { options, fault } = parseQuery(question < 0 ? "" : name.slice(question + 1));
  if (fault !== undefined) throw new CompileError("endpoint-uri-invalid", `the query behind kamelet '${template}' is not valid: ${fault}`);
  const given = options.map((option) => [option.name, option.value] as const);
  return registry.template(template, { ...Object.fromEntries(given), ...parameters }, `${node.id}-`);
}
