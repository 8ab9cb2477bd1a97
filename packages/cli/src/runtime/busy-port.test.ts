import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runProgram } from "../command/program.ts";
import { commands } from "../commands/index.ts";
import { recordedTerminal } from "../terminal/recorded-terminal.test-support.ts";
import { busyPortText, commandWith, isFree, nextFreePort, portHolder } from "./busy-port.ts";

let server: Server;
let port: number;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-busy-"));
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const holder = (): string => (process.platform === "linux" ? String.raw` by process ${process.pid} \(.+\)` : "");

async function startError(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<readonly [exit: number, stderr: string]> {
  for (const [name, value] of Object.entries({ SERVICE_DATA_DIR: folder, DESIGNER_WORKSPACE: join(folder, "workspace"), ...environment }))
    vi.stubEnv(name, value);
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, args, terminal);
  return [exit, terminal.stderr()];
}

describe("a busy port", () => {
  it("is reported with the process that holds it, if the system provides it", () => {
    expect(busyPortText(port)).toMatch(new RegExp(`^port ${port} is in use${holder()}$`));
    expect(portHolder(port, "/no-such-folder")).toBeUndefined();
  });

  it("is replaced by the next free port in the suggested command", async () => {
    const next = await nextFreePort(port, "127.0.0.1");
    expect([await isFree(port, "127.0.0.1"), await isFree(next, "127.0.0.1"), next > port]).toEqual([false, true, true]);
    expect(await nextFreePort(port, "127.0.0.1", [next])).toBeGreaterThan(next);
    expect(commandWith({ SERVICE_PORT: 8081, DESIGNER_PORT: 8091 }, "npm start")).toMatch(/SERVICE_PORT=8081.*DESIGNER_PORT=8091.* npm start$/);
  });

  it.each(["1", "2"])("is reported by `sluice start` with a command that uses free ports, with SERVICE_WORKERS=%s", async (workers) => {
    const environment = { SERVICE_PORT: String(port), DESIGNER_PORT: String(port), SERVICE_WORKERS: workers, npm_lifecycle_event: "" };
    expect(await startError(["start"], environment)).toEqual([
      1,
      expect.stringMatching(
        new RegExp(String.raw`^sluice start: port ${port} is in use${holder()} and port ${port}.*: SERVICE_PORT=\d+ DESIGNER_PORT=\d+ sluice start\n$`),
      ),
    ]);
  });

  it("is reported by `sluice run` with several workers", async () => {
    const [exit, stderr] = await startError(["run"], { SERVICE_PORT: String(port), SERVICE_WORKERS: "2" });
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(String.raw`port ${port} is in use${holder()}: stop that process, or choose another port with --port \d+\n$`)),
    ]);
  });

  it("is reported by `sluice designer` with a command that uses a free port", async () => {
    expect(await startError(["designer"], { DESIGNER_PORT: String(port) })).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          String.raw`^sluice designer: port ${port} is in use${holder()}: stop that process, or use another port: DESIGNER_PORT=\d+ sluice designer\n$`,
        ),
      ),
    ]);
  });
});
