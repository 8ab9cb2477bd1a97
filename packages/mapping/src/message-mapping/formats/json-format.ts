import type { FlowError } from "@sluice/engine/spi";
import { isJsonLimitError, parseJsonText, parseJsonTextIncrementally, textPosition } from "@sluice/engine/values";
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
      return parseJsonText(withoutByteOrderMark(text));
    } catch (error) {
      throw toReadFault(error, text);
    }
  },
  *readIncrementally(body) {
    const text = textOfBody(body);
    if (text === undefined) return body;
    try {
      return yield* parseJsonTextIncrementally(withoutByteOrderMark(text));
    } catch (error) {
      throw toReadFault(error, text);
    }
  },
  write: (output) => output,
};

const withoutByteOrderMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

function toReadFault(error: unknown, text: string): FlowError {
  if (isJsonLimitError(error)) return readFault("json", error.describe("the source"));
  // The parser quotes the surrounding text, which may be a secret, so only the position is reported. Without one, the text ended too early.
  const position = /position (\d+)/.exec((error as Error).message)?.[1];
  return readFault("json", `the source is not valid JSON at ${textPosition(text, position === undefined ? text.length : Number(position))}`);
}
