import type { Diagnostic, Span } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";

/** Collects what is wrong with a flow while it is compiled, so that one fault does not hide the next. */
export class DiagnosticSink {
  readonly found: Diagnostic[] = [];

  /** Runs `make`; a fault is noted at `span` and the stand-in returned. A bug is no fault of the flow and goes up. */
  attempt<T>(place: { span: Span; routeId?: string; stepId?: string }, make: () => T, otherwise: T): T {
    try {
      return make();
    } catch (thrown) {
      if (!(thrown instanceof CompileError)) throw thrown;
      this.add(thrown, place);
      return otherwise;
    }
  }

  add(error: CompileError, { span, routeId, stepId }: { span: Span; routeId?: string; stepId?: string }): void {
    // What stands above the routes is compiled for each of them; its fault is one fault all the same.
    if (this.found.some((other) => other.code === error.code && other.message === error.message && other.span.start === span.start)) return;
    this.found.push({
      code: error.code,
      severity: "error",
      message: error.message,
      path: "",
      span,
      ...(routeId === undefined ? {} : { routeId }),
      ...(stepId === undefined ? {} : { stepId }),
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }

  get hasErrors(): boolean {
    return this.found.some(({ severity }) => severity === "error");
  }
}
