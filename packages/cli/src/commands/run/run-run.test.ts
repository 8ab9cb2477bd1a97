// A failed start is reported in one sentence that names the setting to change; tested with real system errors.
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startError(...args: readonly string[]): Promise<readonly [exit: number, stderr: string]> {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, ["run", ...args], terminal);
  return [exit, terminal.stderr()];
}

it("names the port that is in use", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const [exit, stderr] = await startError("--port", String(port), "--data-dir", join(folder, "a"));
  const holder = process.platform === "linux" ? String.raw` by process ${process.pid} \(.+\)` : "";
  expect([exit, stderr]).toEqual([
    1,
    expect.stringMatching(new RegExp(String.raw`^sluice run: port ${port} is in use${holder}: stop that process, or choose another port with --port \d+\n$`)),
  ]);
  other.close();
});

it("names an address that is not local", async () => {
  expect(await startError("--host", "192.0.2.1", "--port", "0", "--data-dir", join(folder, "b"))).toEqual([
    1,
    "sluice run: cannot listen on '192.0.2.1', which is not an address of this machine: choose another one with --host\n",
  ]);
});

it("names an unusable data directory", async () => {
  writeFileSync(join(folder, "file"), "");
  const [exit, stderr] = await startError("--port", "0", "--data-dir", join(folder, "file"));
  expect(exit).toBe(1);
  expect(stderr).toBe(
    `sluice run: cannot use the data directory '${join(folder, "file")}' (the path is a file): fix it, or choose another directory with --data-dir\n`,
  );
});

it("rejects files whose flow ids differ only in case", async () => {
  const flows = join(folder, "flows");
  mkdirSync(join(flows, "more"), { recursive: true });
  for (const path of ["Orders.yaml", join("more", "orders.yaml")])
    writeFileSync(join(flows, path), "- route:\n    id: orders\n    from:\n      uri: webhook\n      steps:\n        - log: x\n");
  const [exit, stderr] = await startError(flows, "--port", "0", "--data-dir", join(folder, "c"));
  expect([exit, stderr]).toEqual([2, expect.stringMatching(/orders\.yaml' and '.*orders\.yaml' have the same flow id 'orders': rename one of them/i)]);
});
