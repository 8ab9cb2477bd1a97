export { cliReference } from "./command/reference-page.ts";
export { commands } from "./commands/index.ts";
export { runProgram } from "./command/program.ts";
