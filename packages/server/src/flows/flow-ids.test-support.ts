import fc from "fast-check";
import { isFlowId } from "./flow-id.ts";

const parts = ["a", "b", "pay", "Pay", "camel", "CAMEL", "Camel", "yaml", "yml", "params", "json", "test", "tmp", "lock", "0"];

/** Valid ids, many of which end like a file name suffix. */
export const flowIds = fc
  .tuple(fc.constantFrom("a", "b", "pay", "Pay", "camel"), fc.array(fc.constantFrom(...parts), { maxLength: 4 }), fc.constantFrom(".", "-", "_"))
  .map(([first, rest, separator]) => [first, ...rest].join(separator === "." || rest.length < 2 ? "." : separator))
  .filter(isFlowId);
