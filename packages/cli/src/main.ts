import { runProgram } from "./command/program.ts";
import { commands } from "./commands/index.ts";

// Whoever reads us may stop at any time, as `head` does.
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));

void runProgram(commands, process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
