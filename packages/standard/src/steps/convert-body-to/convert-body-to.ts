import { defineStep } from "@sluice/engine/spi";
import { inSlices, readJsonAhead } from "@sluice/engine/tools";
import { asJsonIncrementally, collectStream, shouldWriteInParts, isStream } from "@sluice/engine/values";
import { conversionFields, converter } from "../conversion.ts";
import { convertsBody } from "../step-guarantees.ts";

export const convertBodyTo = defineStep({
  name: "convertBodyTo",
  title: "Convert body",
  summary: "Converts the body to another type; null is not changed.",
  guarantees: convertsBody,
  group: "message",
  icon: "replace-all",
  paletteGroup: "data",
  card: { subtitle: "to {type}" },
  since: "0.1",
  shorthand: "type",
  options: conversionFields,
  examples: [{ title: "Text to a number", yaml: "convertBodyTo: int", given: { body: "12" }, expect: { body: 12 } }],
  compile(options, { host: { clock } }) {
    const convert = converter(options);
    const readsJson = /(?:list|map|set|collection|iterable|iterator|(?:object|string)\[\])$/i.test(options.type.trim());
    const writesText = /(?:^|\.)(?:string|charsequence|inputstream|byte\[\])$/i.test(options.type.trim());
    return (exchange) => {
      const { message } = exchange;
      const { body } = message;
      if (isStream(body)) return collectStream(body).then((bytes) => void (message.body = convert(bytes)));
      const reading = readsJson ? readJsonAhead(body, exchange, clock) : undefined;
      if (writesText && shouldWriteInParts(body)) return inSlices(asJsonIncrementally(body), clock).then((text) => void (message.body = convert(text)));
      if (reading !== undefined) return reading.then(() => void (message.body = convert(body)));
      message.body = convert(body);
      return undefined;
    };
  },
});
