import { url as inspectorUrl } from "node:inspector";
import { runProgram } from "./command/program.ts";
import { commands } from "./commands/index.ts";
import { isWorker } from "./commands/run/worker-command.ts";

// The process that reads the output, such as `head`, may close the pipe at any time.
for (const stream of [process.stdout, process.stderr]) stream.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));

// By default Node opens an inspector on SIGUSR1, through which anyone who can connect could run code; a listener prevents that. An inspector that was
// requested at start stays open.
if (inspectorUrl() === undefined && process.platform !== "win32") process.on("SIGUSR1", () => undefined);

const flush = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => stream.write("", () => resolve()));

async function runCommand(): Promise<void> {
  const code = await runProgram(commands, process.argv.slice(2));
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // Exit explicitly: a leftover timer must not keep a finished command alive.
  process.exit(code);
}

void (isWorker() ? import("@sluice/server/worker") : runCommand());
