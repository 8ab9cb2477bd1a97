import { ending, type Exchange } from "@sluice/engine/spi";

/**
 * Copies the result of a copy to the original: message, properties, variables and ending.
 * If the copy failed, throws its failure without changing the original, so that handlers see the message as it was.
 * `stops` is whether `stop` in the copy also ends the original.
 */
export function mergeResult(target: Exchange, result: Exchange, { stops }: { readonly stops: boolean }): void {
  const { failure } = result;
  target.failure = undefined;
  if (failure !== undefined) throw failure;
  if (result === target) return;
  const correlationId = target.property("CamelCorrelationId");
  target.message = result.message;
  if (result.properties !== undefined) for (const [name, value] of result.properties) target.setProperty(name, value);
  if (result.variables !== undefined) for (const [name, value] of result.variables) target.setVariable(name, value);
  if (correlationId === undefined) target.removeProperty("CamelCorrelationId");
  else target.setProperty("CamelCorrelationId", correlationId);
  target.caught = result.caught;
  if (stops || result.ending !== ending.stopped) target.ending = result.ending;
}
