// A start that fails is told in one sentence that names the setting to change: real faults of the system, not made-up ones.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function refusal(...words: readonly string[]): Promise<readonly [exit: number, remark: string]> {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, ["run", ...words], terminal);
  return [exit, terminal.remarks()];
}

it("names the port that is in use", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect(await refusal("--port", String(port), "--data-dir", join(folder, "a"))).toEqual([
    1,
    `sluice run: port ${port} is in use: choose another one with --port\n`,
  ]);
  other.close();
});

it("names an address that is not of this machine", async () => {
  expect(await refusal("--host", "192.0.2.1", "--port", "0", "--data-dir", join(folder, "b"))).toEqual([
    1,
    "sluice run: cannot listen on '192.0.2.1', which is no address of this machine: choose another one with --host\n",
  ]);
});

it("names a data directory that cannot be one", async () => {
  writeFileSync(join(folder, "file"), "");
  const [exit, remark] = await refusal("--port", "0", "--data-dir", join(folder, "file"));
  expect(exit).toBe(1);
  expect(remark).toBe(
    `sluice run: cannot keep data at '${join(folder, "file", "routes")}', a file stands in the way: mend that, or choose another directory with --data-dir\n`,
  );
});
