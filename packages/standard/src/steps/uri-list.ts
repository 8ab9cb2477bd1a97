import { asText, FlowError } from "@sluice/engine/spi";
import { isAsync, itemsOf } from "./items.ts";

/** Addresses that one message may name in one list. */
const longestList = 10_000;

/** The addresses a value holds, trimmed, empty ones left out. */
export function uriList(value: unknown, delimiter: string): readonly string[] {
  const items = itemsOf(value, delimiter);
  if (isAsync(items)) throw new FlowError("java.lang.IllegalArgumentException", "the addresses must be a list or text", { code: "recipients-invalid" });
  const uris: string[] = [];
  for (let next = items.next(); next.done !== true; next = items.next()) {
    const uri = asText(next.value).trim();
    if (uri !== "") uris.push(uri);
    if (uris.length > longestList)
      throw new FlowError("java.lang.IllegalArgumentException", `more than ${longestList} addresses in one list`, { code: "limit-recipients" });
  }
  return uris;
}
