// Kamelets as endpoints. The engine replaces `kamelet:name` with the endpoints and steps of the Kamelet, and `from: kamelet:source`
// has no trigger, so this connector handles only the sink of a template.
import { CompileError, defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const kamelet = defineConnector({
  scheme: "kamelet",
  title: "Kamelet",
  summary: "Uses a Kamelet as a trigger or a target; inside a template, marks its start and end.",
  guarantees: "The endpoint is replaced by the endpoints and steps of the Kamelet and has their guarantees.",
  group: "core",
  icon: "puzzle",
  since: "0.1",
  syntax: "kamelet:name",
  roles: ["sink"],
  workers: "any",
  local: true,
  path: { name: f.string({ doc: "Name of the Kamelet or route template; inside a template `source` or `sink`.", required: true }) },
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
      // A name evaluated at run time could choose which steps run.
      if (name !== "sink")
        throw new CompileError("kamelet-endpoint", `'kamelet:${name}' cannot be used here`, {
          hint: "use it with a fixed name in 'from', 'to' or the step 'kamelet'",
        });
      return { send: () => undefined };
    },
  }),
});
