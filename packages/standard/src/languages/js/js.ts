import { defineLanguage, isTrue, type Exchange, type Expression, type LanguageDeclaration, type LanguageScope } from "@sluice/engine/spi";
import type { QuickJSWASMModule } from "quickjs-emscripten-core";
import { toPlainJson } from "../language-values/json-input.ts";
import { idOption, resultTypeOption, trimOption } from "../language-values/language-options.ts";
import { compileResultType } from "../language-values/result-type.ts";
import { ScriptSandbox, type SandboxLimits } from "./script-sandbox.ts";

const defaults: SandboxLimits = { timeLimitMs: 200, memoryLimitBytes: 32 * 1024 * 1024, stackLimitBytes: 256 * 1024 };

/**
 * The `js` language on a ready QuickJS module. It is no part of the standard list: the operator turns it on, and whoever
 * composes the runtime loads the module and adds the language. A script holds the event loop while it runs, so the time
 * limit is 200 ms unless said otherwise.
 */
export function jsLanguage(quickjs: QuickJSWASMModule, limits: Partial<SandboxLimits> = {}): LanguageDeclaration {
  const compileScript = (text: string, scope: LanguageScope): Expression => {
    const sandbox = new ScriptSandbox(text, quickjs, { ...defaults, ...limits }, scope.host.clock);
    return (exchange) => sandbox.evaluate(globalsOf(exchange));
  };
  return defineLanguage({
    name: "js",
    costly: true,
    title: "JavaScript",
    summary: "Evaluates JavaScript in a sandbox that sees body, headers, properties and variables as JSON values.",
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
