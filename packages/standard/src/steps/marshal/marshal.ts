import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { convertWith } from "./convert-with.ts";
import { convertsFormat } from "../step-guarantees.ts";

/** Serializes the body to text or bytes. */
export const marshal = defineStep({
  name: "marshal",
  title: "Marshal",
  summary: "Serializes the body to text or bytes in a format.",
  guarantees: convertsFormat,
  group: "message",
  icon: "file-output",
  paletteGroup: "data",
  card: { title: "Write {format}" },
  since: "0.1",
  keywords: ["json", "xml", "csv", "write", "serialize"],
  options: {
    format: f.format({ doc: "The format to write.", required: true }),
    variableSend: f.string({ doc: "Variable whose value is serialized in place of the body.", group: "advanced" }),
    variableReceive: f.string({ doc: "Variable that receives the result; the message does not change.", group: "advanced" }),
  },
  examples: [
    {
      title: "An object as JSON",
      yaml: "marshal: {json: {}}",
      given: { body: { a: 1 } },
      expect: { body: '{"a":1}', headers: { "Content-Type": "application/json" } },
    },
  ],
  compile({ format, ...variables }, compiler) {
    const dataFormat = compiler.registry.format(format);
    return convertWith((body, exchange) => dataFormat.marshal(body, exchange), variables, compiler.host);
  },
});
