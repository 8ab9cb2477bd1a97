// The steps, languages, formats, beans and top-level elements that are included in Sluice.
export { beans } from "./beans/index.ts";
export { standardEntities } from "./entities/index.ts";
export { formats } from "./formats/index.ts";
export { languages } from "./languages/index.ts";
export { jsLanguage, type ScriptThreads } from "./languages/js/js.ts";
export { loadInterpreter, type InterpreterLibraries } from "./languages/js/load-interpreter.ts";
export { runScript, type ScriptLimits, type ScriptOutcome } from "./languages/js/run-script.ts";
export { refusedWords as refused } from "./refused.ts";
export { steps } from "./steps/index.ts";
