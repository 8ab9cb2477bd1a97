import { aimedSpan, readTree, spanInText, type Diagnostic, type Span, type Tree } from "@sluice/model";
import { FlowError } from "../errors/flow-error.ts";
import { CompileError } from "../spi/compiler.ts";

/** Collects what is wrong with a flow while it is compiled, so that one fault does not hide the next. */
export class DiagnosticSink {
  readonly found: Diagnostic[] = [];
  readonly #source: string;
  /** Read again for the first fault that needs it: what is compiled lives long, and must not keep it. */
  #tree: Tree | undefined = undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** Runs `make`; a fault is noted at `span` and the stand-in returned. A bug is no fault of the flow and goes up. */
  attempt<T>(place: { span: Span; routeId?: string; stepId?: string }, make: () => T, otherwise: T): T {
    try {
      return make();
    } catch (thrown) {
      this.add(faultOf(thrown), place);
      return otherwise;
    }
  }

  /** `text`: what the place holds, when the fault may say where in it. */
  add(error: CompileError, { span: owner, routeId, stepId, text }: { span: Span; routeId?: string; stepId?: string; text?: string }): void {
    const span =
      error.option !== undefined || error.value !== undefined
        ? aimedSpan((this.#tree ??= readTree(this.#source).tree), this.#source, owner, error)
        : error.offset !== undefined && text !== undefined
          ? spanInText(this.#source, owner, text, error.offset)
          : owner;
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

/** A value of the flow that fails as the same value in a message would is a fault of the flow. */
function faultOf(thrown: unknown): CompileError {
  if (thrown instanceof CompileError) return thrown;
  if (thrown instanceof FlowError && thrown.code !== "unexpected") return new CompileError(thrown.code, thrown.message);
  throw thrown;
}
