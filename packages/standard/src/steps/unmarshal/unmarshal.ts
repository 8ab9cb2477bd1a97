import { FlowError, defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { convertWith } from "../marshal/convert-with.ts";

/** Reads text or bytes of a format into values. */
export const unmarshal = defineStep({
  name: "unmarshal",
  title: "Unmarshal",
  summary: "Reads text or bytes of a format into values.",
  group: "message",
  icon: "file-input",
  since: "0.1",
  options: {
    format: f.format({ doc: "The format to read.", required: true }),
    allowNullBody: f.boolean({ doc: "Whether a message without a body passes unchanged instead of failing.", default: false }),
    variableSend: f.string({ doc: "Variable whose value is read instead of the body.", group: "advanced" }),
    variableReceive: f.string({ doc: "Variable that receives the result; the message stays as it was.", group: "advanced" }),
  },
  examples: [{ title: "JSON text as an object", yaml: "unmarshal: {json: {}}", given: { body: '{"a":1}' }, expect: { body: { a: 1 } } }],
  compile({ format, allowNullBody, ...variables }, compiler) {
    const made = compiler.registry.format(format);
    return convertWith(
      (body, exchange) => {
        if (body !== null && body !== undefined) return made.unmarshal(body, exchange);
        if (allowNullBody) return null;
        throw new FlowError(
          "org.apache.camel.InvalidPayloadException",
          `there is nothing to unmarshal as ${format.name}: the body is empty; allowNullBody lets it pass`,
          {
            code: "unmarshal-empty",
            details: { clientFault: true },
          },
        );
      },
      variables,
      compiler.host,
    );
  },
});
