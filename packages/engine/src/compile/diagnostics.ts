import { errorSpan, readTree, spanInText, type Diagnostic, type Span, type Tree } from "@sluice/model";
import { FlowError, isFlowError } from "../errors/flow-error.ts";
import { CompileError, isCompileError } from "../spi/compiler.ts";
import { messageWithin } from "./relocate.ts";

/**
 * Collects all errors of a flow during compilation, so that one error does not hide the next. `earlier` contains the errors of the previous stage. A
 * flow with earlier errors is compiled only to find more errors; consequences of the earlier ones are not reported again.
 */
export class DiagnosticSink {
  readonly found: Diagnostic[] = [];
  readonly #source: string;
  readonly #earlier: readonly Diagnostic[];
  /** Parsed again on the first error: compiled flows live long and should not retain the tree. */
  #tree: Tree | undefined = undefined;

  constructor(source: string, earlier: readonly Diagnostic[] = []) {
    this.#source = source;
    this.#earlier = earlier;
  }

  /** Runs `compile`; reports an error at the location and returns the fallback value. Bugs are rethrown unless the previous stage found errors. */
  attempt<T>(location: { span: Span; routeId?: string; stepId?: string }, compile: () => T, fallback: T): T {
    try {
      return compile();
    } catch (thrown) {
      // After earlier errors, required options may be missing, so that steps throw errors of any kind: ignore those.
      const error = this.#earlier.length > 0 && !isFault(thrown) ? undefined : toCompileError(thrown);
      if (error !== undefined && !this.#earlier.some((fault) => isSameStep(fault, location))) this.add(error, location);
      return fallback;
    }
  }

  /** `text`: the source text at this location, if the error can point into it. */
  add(error: CompileError, location: { span: Span; routeId?: string; stepId?: string; text?: string }): void {
    this.#addOne(error, location);
    // An error created by an older version of this package has no `others`.
    for (const other of (error.others as readonly CompileError[] | undefined) ?? []) this.#addOne(other, location);
  }

  warn(caution: CompileError, location: { span: Span; routeId?: string; stepId?: string }): void {
    const sink = new DiagnosticSink(this.#source, this.found);
    sink.add(caution, location);
    this.found.push(...sink.found.map((warning) => ({ ...warning, severity: "warning" as const })));
  }

  #addOne(error: CompileError, { span: owner, routeId, stepId, text }: { span: Span; routeId?: string; stepId?: string; text?: string }): void {
    const { within, ...use } = owner;
    const span =
      within !== undefined
        ? use
        : error.option !== undefined || error.value !== undefined
          ? errorSpan((this.#tree ??= readTree(this.#source).tree), this.#source, owner, error)
          : error.offset !== undefined && text !== undefined
            ? spanInText(this.#source, owner, text, error.offset)
            : owner;
    const message = within === undefined ? error.message : messageWithin(error.message, within);
    if (this.#earlier.some((fault) => overlap(fault.span, span) || isSameError(fault, { code: error.code, routeId, stepId }))) return;
    // Document-level entities are compiled once per route; report their error only once.
    if (this.found.some((other) => other.code === error.code && other.message === message && other.span.start === span.start)) return;
    this.found.push({
      code: error.code,
      severity: "error",
      message,
      path: "",
      span,
      ...(routeId === undefined ? {} : { routeId }),
      ...(stepId === undefined ? {} : { stepId }),
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

const overlap = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

const isSameStep = (fault: Diagnostic, { routeId, stepId }: { routeId?: string; stepId?: string }): boolean =>
  stepId !== undefined && fault.stepId === stepId && fault.routeId === routeId;

/** An error that both stages find, at different places of the same step. */
const isSameError = (fault: Diagnostic, { code, routeId, stepId }: { code: string; routeId: string | undefined; stepId: string | undefined }): boolean =>
  fault.code === code && routeId !== undefined && fault.routeId === routeId && fault.stepId === stepId;

const isFault = (error: unknown): boolean => isCompileError(error) || (isFlowError(error) && error.code !== "unexpected");

/** A literal in the flow that fails to evaluate is an error in the flow. */
function toCompileError(error: unknown): CompileError {
  if (!isFault(error)) throw error;
  return isCompileError(error) ? error : new CompileError((error as FlowError).code, (error as FlowError).message);
}
