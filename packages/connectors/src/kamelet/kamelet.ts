// The ends of a kamelet. Its steps stand inline where the `kamelet` step uses it, so its sink is simply the place where it ends.
import { CompileError, defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const kamelet = defineConnector({
  scheme: "kamelet",
  title: "Kamelet end",
  summary: "Marks the beginning and the end of a kamelet inside its template.",
  group: "core",
  icon: "puzzle",
  since: "0.1",
  syntax: "kamelet:name",
  workers: "any",
  path: { name: f.string({ doc: "`source` or `sink`.", required: true }) },
  options: {},
  lenient: true,
  headers: {},
  examples: [
    {
      title: "A template that ends in its sink",
      yaml: `- routeTemplate:
    id: shout
    from:
      uri: kamelet:source
      steps:
        - setBody:
            simple: "\${uppercase(\${body})}!"
        - to: kamelet:sink
- route:
    id: example
    from:
      uri: direct:start
      steps:
        - kamelet: shout
`,
      given: { body: "hello" },
      expect: { body: "HELLO!" },
    },
  ],
  connect: () => ({
    sink({ options: { name } }) {
      if (name !== "sink") throw new CompileError("kamelet-endpoint", `'kamelet:${name}' cannot be sent to`, { hint: `use the step kamelet: ${name}` });
      return { send: () => undefined };
    },
  }),
});
