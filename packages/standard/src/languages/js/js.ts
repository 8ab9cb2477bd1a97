import { defineLanguage, type Exchange, type Expression, type LanguageDeclaration, type LanguageScope } from "@sluice/engine/spi";
import { isTrue } from "@sluice/engine/values";
import { toPlainJson } from "../language-values/json-input.ts";
import { idOption, resultTypeOption, trimOption } from "../language-values/language-options.ts";
import { compileResultType } from "../language-values/result-type.ts";
import type { ScriptInterpreter } from "./load-interpreter.ts";
import type { ScriptLimits, ScriptOutcome } from "./run-script.ts";
import { ScriptSandbox, valueOf } from "./script-sandbox.ts";

const defaults: ScriptLimits = { timeLimitMs: 200, memoryLimitBytes: 32 * 1024 * 1024, stackLimitBytes: 256 * 1024 };

/** Threads that run scripts without blocking the event loop. */
export interface ScriptThreads {
  /** Runs the code with these globals as JSON; rejects when the queue is full. */
  run(code: string, globalsJson: string): Promise<ScriptOutcome>;
}

/**
 * The `js` language on a loaded interpreter. It is not part of the standard list: the operator enables it, and the server loads
 * the interpreter and adds the language. With threads, the scripts of a step run there before the step. Where that is not
 * possible, as for a condition that is evaluated in every iteration of a loop, a script blocks the event loop, by default for
 * at most 200 ms.
 */
export function jsLanguage(interpreter: ScriptInterpreter, limits: Partial<ScriptLimits> = {}, threads?: ScriptThreads): LanguageDeclaration {
  const compileScript = (text: string, scope: LanguageScope): Expression => {
    const sandbox = new ScriptSandbox(text, interpreter, { ...defaults, ...limits }, scope.host.clock);
    if (threads === undefined || scope.beforeStep === undefined) return (exchange) => valueOf(sandbox.run(globalsOf(exchange)));
    return runAhead(sandbox, threads, scope.beforeStep);
  };
  return defineLanguage({
    name: "js",
    costly: true,
    title: "JavaScript",
    summary: "Evaluates JavaScript in a sandbox that can read the body, headers, properties and variables as JSON values.",
    group: "language",
    icon: "code",
    since: "0.1",
    options: { resultType: resultTypeOption, trim: trimOption, id: idOption },
    examples: [
      {
        title: "An expression",
        yaml: `setBody: {js: "body.toUpperCase() + headers.mark"}`,
        given: { body: "hi", headers: { mark: "!" } },
        expect: { body: "HI!" },
      },
      {
        title: "Statements with a return",
        yaml: `setBody: {js: "let sum = 0; for (const line of body.lines) sum += line.qty; return {sum};"}`,
        given: { body: { lines: [{ qty: 2 }, { qty: 3 }] } },
        expect: { body: { sum: 5 } },
      },
      { title: "Endless loops are stopped", yaml: `setBody: {js: "while (true) {}"}`, given: { body: "" }, expect: { error: "time limit" } },
    ],
    compile: (text, options, scope) => {
      const evaluate = compileScript(text, scope);
      const convert = compileResultType(options["resultType"]);
      return (exchange) => convert(evaluate(exchange));
    },
    compilePredicate: (text, _options, scope) => {
      const evaluate = compileScript(text, scope);
      return (exchange) => isTrue(evaluate(exchange));
    },
  });
}

/** The result of a thread is valid only for its input: if the message has changed since, the script runs again. */
function runAhead(sandbox: ScriptSandbox, threads: ScriptThreads, beforeStep: NonNullable<LanguageScope["beforeStep"]>): Expression {
  const results = new WeakMap<Exchange, { readonly input: string; readonly outcome: ScriptOutcome }>();
  beforeStep((exchange) => {
    const input = globalsOf(exchange);
    return threads.run(sandbox.code, input).then((outcome) => void results.set(exchange, { input, outcome }));
  });
  return (exchange) => {
    const input = globalsOf(exchange);
    const result = results.get(exchange);
    results.delete(exchange);
    return valueOf(result?.input === input ? result.outcome : sandbox.run(input));
  };
}

function globalsOf(exchange: Exchange): string {
  const { body, headers } = exchange.message;
  return JSON.stringify({
    body: toPlainJson(body),
    headers: toPlainJson(headers.toObject()),
    properties: toPlainJson(exchange.properties ?? {}),
    variables: toPlainJson(exchange.variables ?? {}),
    exchangeId: exchange.id,
  });
}
