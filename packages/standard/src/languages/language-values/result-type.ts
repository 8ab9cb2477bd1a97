import { CompileError } from "@sluice/engine/spi";
import { findConversion } from "@sluice/engine/values";

/** The conversion for the `resultType` of an expression. */
export function compileResultType(name: string | undefined): (value: unknown) => unknown {
  if (name === undefined || name.trim() === "") return (value) => value;
  const conversion = findConversion(name);
  if (conversion !== undefined) return conversion;
  throw new CompileError("language-result-type", `unknown resultType '${name}'`, {
    hint: "use String, Integer, Long, Double, Boolean, List, Map, byte[] or Object",
  });
}

/** True for collection types, for which a list with one item must not be unwrapped. */
export function isListType(name: string | undefined): boolean {
  return name !== undefined && /(^|\.)(array)?list$|(^|\.)(collection|iterable|iterator|set)$|\[\]$/i.test(name.trim());
}
