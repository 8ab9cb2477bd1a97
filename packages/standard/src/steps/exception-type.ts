import { CompileError, FlowError, exceptionTypeNames, inheritanceDistance, isKnownExceptionType } from "@sluice/engine/spi";

/** Refuses a name that is no exception; the tree of names is closed so that a typing error cannot pass unseen. */
export function checkExceptionType(name: string): void {
  if (isKnownExceptionType(name)) return;
  const short = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const near = exceptionTypeNames.find((known) => known.slice(known.lastIndexOf(".") + 1).toLowerCase() === short);
  throw new CompileError("exception-unknown", `there is no exception type '${name}'`, {
    hint: near === undefined ? "write a fully qualified name such as java.lang.Exception" : `did you mean ${near}?`,
    value: name,
  });
}

/** True when the error, or one of the errors behind it, is of one of the types. */
export function isOneOf(error: FlowError, types: readonly string[]): boolean {
  for (let current: unknown = error; current instanceof FlowError; current = current.cause) {
    const { type } = current;
    if (types.some((declared) => inheritanceDistance(type, declared) !== undefined)) return true;
  }
  return false;
}
