import { runProgram } from "./command/program.ts";
import { commands } from "./commands/index.ts";
import { isWorker } from "./commands/run/worker-command.ts";

// Whoever reads us may stop at any time, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));

const flushed = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => stream.write("", () => resolve()));

async function runCommand(): Promise<void> {
  const code = await runProgram(commands, process.argv.slice(2));
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // Said outright: a timer that something left behind must not keep a finished command alive.
  process.exit(code);
}

void (isWorker() ? import("@sluice/server/worker") : runCommand());
