import type { Exchange } from "@sluice/engine/spi";

/** Takes over what a copy brought back: message, properties, variables, how it ended; throws what it failed with. */
export function mergeResult(target: Exchange, result: Exchange): void {
  if (result !== target) {
    target.message = result.message;
    mergeMaps(target, result);
    target.caught = result.caught;
    target.ending = result.ending;
  }
  const { failure } = result;
  if (failure === undefined) return;
  target.failure = undefined;
  throw failure;
}

/** Only the properties and variables of a copy. */
export function mergeMaps(target: Exchange, result: Exchange): void {
  if (result.properties !== undefined)
    for (const [name, value] of result.properties) target.setProperty(name, value);
  if (result.variables !== undefined)
    for (const [name, value] of result.variables) target.setVariable(name, value);
}
