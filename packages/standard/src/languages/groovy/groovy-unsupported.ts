// Groovy syntax outside the supported subset, and what to write instead.
import { CompileError } from "@sluice/engine/spi";

/** Statements that are rejected, with their replacement. */
export const refusedWords: Readonly<Record<string, string>> = {
  for: "use each, collect, find or inject with a closure",
  while: "use each, collect, find or inject with a closure",
  switch: "use a ternary, a map, or the step choice",
  try: "use the step doTry",
  throw: "use the step throwException",
  class: "ask the operator to register a function (SERVICE_FUNCTIONS)",
  assert: "use the step validate",
};

const useLog = 'use the step log, such as {log: "${body}"}';
/** Functions that print, with their replacement. */
export const printFunctions: Readonly<Record<string, string>> = { print: useLog, printf: useLog, println: useLog };

/** The error for Groovy syntax outside this subset. */
export function unsupported(what: string, hint: string, offset: number): CompileError {
  return new CompileError("groovy-unsupported", `${what} is not part of the supported groovy subset`, { hint, offset });
}
