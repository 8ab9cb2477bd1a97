import { collectStream, defineStep, isStream } from "@sluice/engine/spi";
import { conversionFields, converter } from "../conversion.ts";

export const convertBodyTo = defineStep({
  name: "convertBodyTo",
  title: "Convert body",
  summary: "Converts the body to another type; null stays null.",
  group: "message",
  icon: "replace-all",
  since: "0.1",
  shorthand: "type",
  options: conversionFields,
  examples: [{ title: "Text to a number", yaml: "convertBodyTo: int", given: { body: "12" }, expect: { body: 12 } }],
  compile(options) {
    const convert = converter(options);
    return ({ message }) => {
      const { body } = message;
      if (isStream(body)) return collectStream(body).then((bytes) => void (message.body = convert(bytes)));
      message.body = convert(body);
      return undefined;
    };
  },
});
