// Compiles the error handling of a document into the plan a route's error handler follows.
import { closest, type ExpressionNode, type Span, type Values } from "@sluice/model";
import { exceptionTypeNames, isKnownExceptionType } from "../errors/exception-types.ts";
import { CompileError, type Compiler } from "../spi/compiler.ts";
import type { errorHandlerFields, onExceptionFields } from "../entities/error-entities.ts";
import type { ErrorHandlerPlan } from "./error-handler.ts";
import type { DiagnosticSink } from "./diagnostics.ts";
import { withoutDuplicates, type ExceptionClause } from "./exception-clause.ts";
import { noRedelivery, redeliveryPolicy, type RedeliveryOptions, type RedeliveryPolicy } from "./redelivery-policy.ts";

export type OnExceptionOptions = Values<typeof onExceptionFields>;
export type ErrorHandlerOptions = Values<typeof errorHandlerFields>;

/** A clause and its position in the document. */
interface ClauseSource {
  readonly options: OnExceptionOptions;
  readonly span: Span;
}

export interface ErrorSources {
  /** Clauses per level, the route's own configuration first. */
  readonly clauses: readonly (readonly ClauseSource[])[];
  readonly handler: ErrorHandlerOptions | undefined;
  /** Handlers by id, for `refErrorHandler`. */
  readonly named: ReadonlyMap<string, ErrorHandlerOptions>;
  readonly span: Span;
}

/** Compiles the plan; its steps run outside the route's own error handler. */
export function errorPlan(sources: ErrorSources, compiler: Compiler, diagnostics: DiagnosticSink): ErrorHandlerPlan {
  const handler = resolve(sources.handler, sources.named);
  const compileLevel = (level: readonly ClauseSource[]) =>
    level.map(({ options, span }) => diagnostics.attempt<ExceptionClause | undefined>({ span }, () => clause(options, compiler), undefined));
  const clauses = sources.clauses.map((level) =>
    withoutDuplicates(compileLevel(level.filter(({ options }) => !options.disabled)).filter((compiledClause) => compiledClause !== undefined)),
  );
  if (handler?.noErrorHandler !== undefined) return { kind: "none", policy: noRedelivery, clauses: [], deadLetter: undefined, deadLetterOriginal: undefined };
  const settings = handler?.deadLetterChannel ?? handler?.defaultErrorHandler;
  const policy = (settings === undefined ? undefined : policyOf(settings, compiler)) ?? noRedelivery;
  const channel = handler?.deadLetterChannel;
  if (channel === undefined) return { kind: "default", policy, clauses, deadLetter: undefined, deadLetterOriginal: undefined };
  const outlet = compiler.endpoints.to({ uri: channel.deadLetterUri, parameters: {}, span: sources.span });
  return { kind: "dead-letter", policy, clauses, deadLetter: (exchange) => outlet.send(exchange), deadLetterOriginal: original(channel) };
}

function resolve(handler: ErrorHandlerOptions | undefined, named: ReadonlyMap<string, ErrorHandlerOptions>): ErrorHandlerOptions | undefined {
  if (handler?.refErrorHandler === undefined) return handler;
  const found = named.get(handler.refErrorHandler.ref.replace(/^#(bean:)?/, ""));
  if (found === undefined)
    throw new CompileError("error-handler-unknown", `unknown error handler '${handler.refErrorHandler.ref}'`, {
      hint: "define an errorHandler with this id in this document",
    });
  return found;
}

function clause(options: OnExceptionOptions, compiler: Compiler): ExceptionClause {
  for (const type of options.exception) assertExceptionType(type);
  if (options.handled !== undefined && options.continued !== undefined)
    throw new CompileError("option-conflict", "onException has both handled and continued", { hint: "keep one of them", option: "continued" });
  if (hasNoEffect(options))
    throw new CompileError("clause-without-effect", "onException has no effect", { hint: "add steps, handled, continued or a redeliveryPolicy" });
  const predicate = (node: ExpressionNode | undefined) => (node === undefined ? undefined : compiler.predicate(node));
  return {
    types: options.exception,
    when: predicate(options.onWhen),
    whenText: options.onWhen?.text ?? "",
    handled: predicate(options.handled),
    continued: predicate(options.continued),
    retryWhile: predicate(options.retryWhile),
    policy: policyOf(options, compiler),
    steps: options.steps.length === 0 ? undefined : compiler.steps(options.steps, { errors: "off" }),
    original: original(options),
  };
}

function hasNoEffect(options: OnExceptionOptions): boolean {
  return (
    options.steps.length === 0 &&
    options.handled === undefined &&
    options.continued === undefined &&
    options.retryWhile === undefined &&
    original(options) === undefined &&
    options.redeliveryPolicy === undefined &&
    options.redeliveryPolicyRef === undefined
  );
}

/** The inline policy, or the referenced one. */
function policyOf(options: Pick<OnExceptionOptions, "redeliveryPolicy" | "redeliveryPolicyRef">, { registry }: Compiler): RedeliveryPolicy | undefined {
  const { redeliveryPolicy: inline, redeliveryPolicyRef: name } = options;
  if (name === undefined) return inline === undefined ? undefined : redeliveryPolicy(inline);
  if (inline !== undefined)
    throw new CompileError("option-conflict", "redeliveryPolicy and redeliveryPolicyRef cannot be used together", {
      hint: "keep one of them",
      option: "redeliveryPolicyRef",
    });
  return redeliveryPolicy(registry.bean(name, "redelivery-policy") as RedeliveryOptions);
}

function original(options: { readonly useOriginalMessage: boolean; readonly useOriginalBody: boolean }): "message" | "body" | undefined {
  if (options.useOriginalMessage && options.useOriginalBody)
    throw new CompileError("option-conflict", "useOriginalMessage and useOriginalBody cannot be used together", {
      hint: "keep one of them",
      option: "useOriginalBody",
    });
  return options.useOriginalMessage ? "message" : options.useOriginalBody ? "body" : undefined;
}

/** Rejects an exception type that no failure can have. */
function assertExceptionType(type: string): void {
  if (isKnownExceptionType(type)) return;
  const suggestion = closest(type, exceptionTypeNames());
  throw new CompileError("exception-unknown", `unknown exception type '${type}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`, {
    hint: "use a full Java or Camel exception name, e.g. java.lang.Exception",
    value: type,
  });
}
