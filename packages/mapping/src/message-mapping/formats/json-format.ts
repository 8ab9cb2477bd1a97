import { longestWholeNumber, LongNumberError, parseJsonText } from "@sluice/engine/spi";
import { readFault } from "../../text/read-fault.ts";
import { noPrefixes, textOfBody, type MessageFormat } from "./message-format.ts";

export const jsonFormat: MessageFormat = {
  name: "json",
  contentType: "application/json",
  oneOrMany: false,
  prefixes: noPrefixes,
  read(body) {
    const text = textOfBody(body);
    if (text === undefined) return body;
    try {
      return parseJsonText(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
    } catch (error) {
      if (error instanceof LongNumberError) throw readFault("json", `a whole number in the source has more than ${longestWholeNumber} digits`);
      // The parser quotes the text around the fault, which may be a secret: its position is enough.
      const position = /position (\d+)/.exec((error as Error).message)?.[1];
      throw readFault("json", `the source is no JSON${position === undefined ? "" : ` (character ${Number(position) + 1})`}`);
    }
  },
  write: (output) => output,
};
