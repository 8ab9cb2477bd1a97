import { FlowError, defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { convertWith } from "../marshal/convert-with.ts";
import { convertsFormat } from "../step-guarantees.ts";

/** Parses text or bytes into values. */
export const unmarshal = defineStep({
  name: "unmarshal",
  title: "Unmarshal",
  summary: "Parses text or bytes in a format into values.",
  guarantees: convertsFormat,
  group: "message",
  icon: "file-input",
  paletteGroup: "data",
  card: { title: "Parse {format}" },
  since: "0.1",
  keywords: ["json", "parse", "xml", "csv", "read"],
  options: {
    format: f.format({ doc: "The format to read.", required: true }),
    allowNullBody: f.boolean({ doc: "A message without a body continues unchanged instead of failing.", default: false }),
    variableSend: f.string({ doc: "Variable whose value is parsed in place of the body.", group: "advanced" }),
    variableReceive: f.string({ doc: "Variable that receives the result; the message does not change.", group: "advanced" }),
  },
  examples: [{ title: "JSON text as an object", yaml: "unmarshal: {json: {}}", given: { body: '{"a":1}' }, expect: { body: { a: 1 } } }],
  compile({ format, allowNullBody, ...variables }, compiler) {
    const dataFormat = compiler.registry.format(format);
    return convertWith(
      (body, exchange) => {
        if (body !== null && body !== undefined) return dataFormat.unmarshal(body, exchange);
        if (allowNullBody) return null;
        throw new FlowError(
          "org.apache.camel.InvalidPayloadException",
          `the body is empty and cannot be unmarshalled as ${format.name}; set allowNullBody to accept it`,
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
