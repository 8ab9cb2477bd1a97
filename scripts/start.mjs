// `npm start`: installs and builds when needed, then starts the runtime and the designer with the default settings.
import { spawn } from "node:child_process";
import { prepare } from "./prepare.mjs";
import { root } from "./run-command.mjs";

await prepare();
const child = spawn(process.execPath, [`${root}packages/cli/bin/sluice.cjs`, "start", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// npm signals only the shell between it and this process.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) child.kill("SIGTERM");
}, 1_000).unref();
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
