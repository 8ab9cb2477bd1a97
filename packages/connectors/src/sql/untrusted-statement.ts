import { CompileError, type Endpoint } from "@sluice/engine/spi";

/** Rejects a statement with any part from a message: its sender could inject SQL. */
export function rejectUntrustedStatement({ trusted, authored }: Pick<Endpoint, "trusted" | "authored">): void {
  if (trusted && authored) return;
  throw new CompileError("endpoint-refused", "part of its statement came from a message, which would allow SQL injection", {
    hint: "write the statement in the flow and pass values as :#name",
  });
}
