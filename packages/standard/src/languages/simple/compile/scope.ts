import { CompileError, isCompileError, FlowError, isFlowError, type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { maxNestingDepth, type SimpleNode } from "../parse/ast.ts";

/** Compiles the parts of an expression. Part of the scope, because functions contain text and text contains functions. */
interface SimpleCompilers {
  /** Text as a template. */
  text(text: string, offset: number, scope: SimpleScope): Expression;
  predicate(text: string, offset: number, scope: SimpleScope): Expression<boolean>;
  /** The text between a function's braces. */
  call(content: string, offset: number, scope: SimpleScope): Expression;
  node(node: SimpleNode, scope: SimpleScope): Expression;
}

/** The context for compiling a part of an expression. */
export interface SimpleScope {
  readonly compile: SimpleCompilers;
  readonly language: LanguageScope;
  /** Functions that the init block defined, by name. */
  readonly custom: ReadonlyMap<string, Expression>;
  readonly depth: number;
  /** True on the right of a chain, where `$param` is the piped value. */
  readonly piped: boolean;
}

/** The scope inside a function's braces. */
export function innerScope(scope: SimpleScope, offset: number, piped = scope.piped): SimpleScope {
  if (scope.depth >= maxNestingDepth) throw new CompileError("simple-nesting", `functions are nested deeper than ${maxNestingDepth} levels`, { offset });
  return { ...scope, depth: scope.depth + 1, piped: scope.piped || piped };
}

/** Evaluates with another body and always restores the old one. */
export function withBody<T>(exchange: Exchange, body: unknown, evaluate: Expression<T>): T {
  const { message } = exchange;
  const originalBody = message.body;
  message.body = body;
  try {
    return evaluate(exchange);
  } finally {
    message.body = originalBody;
  }
}

/** Compiles text that is known only at run time, on first use, and caches the results. Its errors are run-time errors. */
export function memoize<T>(make: (text: string) => T, maxEntries = 64): (text: string) => T {
  const cache = new Map<string, T>();
  return (text) => {
    let compiled = cache.get(text);
    if (compiled === undefined) {
      compiled = asRunTimeError(() => make(text));
      if (cache.size >= maxEntries) cache.delete(cache.keys().next().value as string);
      cache.set(text, compiled);
    }
    return compiled;
  };
}

function asRunTimeError<T>(make: () => T): T {
  try {
    return make();
  } catch (fault) {
    if (isCompileError(fault)) throw new FlowError("org.apache.camel.ExpressionIllegalSyntaxException", fault.message, { code: fault.code, cause: fault });
    throw fault;
  }
}

/** Runs a part of the compilation; a FlowError becomes a CompileError at this offset. */
export function atCompile<T>(offset: number, make: () => T): T {
  try {
    return make();
  } catch (fault) {
    if (isFlowError(fault)) throw new CompileError(fault.code, fault.message, { offset });
    throw fault;
  }
}
