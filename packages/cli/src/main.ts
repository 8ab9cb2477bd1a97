import { runProgram } from "./command/program.ts";
import { commands } from "./commands/index.ts";

process.exitCode = await runProgram(commands, process.argv.slice(2));
