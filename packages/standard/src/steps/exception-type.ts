import { CompileError, FlowError, isFlowError } from "@sluice/engine/spi";
import { exceptionTypeNames, inheritanceDistance, isKnownExceptionType } from "@sluice/engine/tools";

/** Rejects unknown exception types: the list is closed so that a misspelled name is found at deploy time. */
export function checkExceptionType(name: string): void {
  if (isKnownExceptionType(name)) return;
  const short = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const similar = exceptionTypeNames().find((known) => known.slice(known.lastIndexOf(".") + 1).toLowerCase() === short);
  throw new CompileError("exception-unknown", `unknown exception type '${name}'`, {
    hint: similar === undefined ? "use a supported type such as java.lang.Exception; custom exception classes are not supported" : `did you mean ${similar}?`,
    value: name,
  });
}

/** True when the error or one of its causes has one of the types. */
export function isOneOf(error: FlowError, types: readonly string[]): boolean {
  for (let current: unknown = error; isFlowError(current); current = current.cause) {
    const { type } = current;
    if (types.some((declared) => inheritanceDistance(type, declared) !== undefined)) return true;
  }
  return false;
}
