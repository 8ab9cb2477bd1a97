import { CompileError, findConversion } from "@sluice/engine/spi";

/** How a result becomes the type an expression's `resultType` names. */
export function compileResultType(name: string | undefined): (value: unknown) => unknown {
  if (name === undefined || name.trim() === "") return (value) => value;
  const conversion = findConversion(name);
  if (conversion !== undefined) return conversion;
  throw new CompileError("language-result-type", `resultType '${name}' is not known`, {
    hint: "use String, Integer, Long, Double, Boolean, List, Map, byte[] or Object",
  });
}

/** True when the type holds several values, so that a list of one must not be unpacked for it. */
export function isListType(name: string | undefined): boolean {
  return name !== undefined && /(^|\.)(array)?list$|(^|\.)(collection|iterable|iterator|set)$|\[\]$/i.test(name.trim());
}
