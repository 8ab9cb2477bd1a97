import { FlowError } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { isAsync, itemsOf } from "./items.ts";

/** Maximum number of addresses in one list, including empty ones, because skipping millions of commas also takes long. */
const maxAddresses = 10_000;

/** The addresses in a value, trimmed, without empty ones. */
export function uriList(value: unknown, delimiter: string): readonly string[] {
  const items = itemsOf(value, delimiter);
  if (isAsync(items))
    throw new FlowError("java.lang.IllegalArgumentException", "the addresses must be a list or a string, not a stream", { code: "recipients-invalid" });
  const uris: string[] = [];
  let count = 0;
  for (let next = items.next(); next.done !== true; next = items.next()) {
    const uri = asText(next.value).trim();
    if (uri !== "") uris.push(uri);
    if (++count > maxAddresses)
      throw new FlowError("java.lang.IllegalArgumentException", `the list has more than ${maxAddresses} addresses; send several messages with shorter lists`, {
        code: "limit-recipients",
      });
  }
  return uris;
}
