// A service with several workers whose start or replacement meets a problem: another process takes the port between its choice and the start of
// the workers, or the flow files have errors.
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, Server, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { readConfiguration } from "../config.ts";
import { eventually } from "@sluice/testkit";
import type { ExternalFlows } from "../flows/external-flows.ts";
import { startWorkers, type RunningWorkers } from "./supervisor.ts";

const command = { file: fileURLToPath(new URL("../../../cli/bin/sluice.cjs", import.meta.url)), args: ["worker"] };
let folder: string;
let taken: Server;
let takenPort: number;
let log: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-supervisor-"));
  log = openSync(join(folder, "log.txt"), "a");
  taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  takenPort = (taken.address() as AddressInfo).port;
});
afterEach(() => {
  vi.restoreAllMocks();
  taken.close();
  closeSync(log);
  rmSync(folder, { recursive: true, force: true });
});

const start = (port: string, flows?: ExternalFlows): Promise<RunningWorkers> =>
  startWorkers(
    readConfiguration({}, { SERVICE_PORT: port, SERVICE_WORKERS: "2", SERVICE_DATA_DIR: join(folder, "data"), SERVICE_DEPLOY_TOKEN: "t" }),
    log,
    flows,
    command,
  );

/** The port is free when it is chosen, and taken when the workers listen. */
const chooseTakenPort = () => vi.spyOn(Server.prototype, "address").mockReturnValueOnce({ port: takenPort, address: "127.0.0.1", family: "IPv4" });

it("another port is chosen if the operator chose none", async () => {
  const choice = chooseTakenPort();
  const service = await start("0");
  onTestFinished(async () => void (await service.stop()));
  expect(choice).toHaveBeenCalled();
  expect(new URL(service.baseUrl).port).not.toBe(String(takenPort));
  expect((await fetch(`${service.baseUrl}/_api/health?probe=ready`)).status).toBe(200);
  expect(readFileSync(join(folder, "log.txt"), "utf8").match(/"baseUrl"/g)).toHaveLength(1);
  expect(await service.stop()).toEqual({ drained: true });
});

it("the start fails if the operator chose it", async () => {
  await expect(start(String(takenPort))).rejects.toMatchObject({ code: "EADDRINUSE", port: takenPort });
});

it("a leader that crashed is replaced, even if the flow files have errors since the start", async () => {
  const path = join(folder, "hello.yaml");
  writeFileSync(path, '- route: {id: hello, from: {uri: webhook, steps: [{setBody: {constant: "Hello"}}]}}\n');
  const service = await start("0", { folders: [], list: () => Promise.resolve([{ id: "hello", path }]) });
  onTestFinished(async () => void (await service.stop()));
  const health = async (): Promise<any> =>
    fetch(`${service.baseUrl}/_api/health`, { headers: { authorization: "Bearer t" } }).then(
      (response) => response.json(),
      () => ({}),
    );
  const leader = async (): Promise<number | undefined> => (await health()).workers?.find(({ leads }: any) => leads)?.pid;
  const crashed = (await leader()) as number;
  writeFileSync(path, "- route: {");
  process.kill(crashed, "SIGKILL");
  await eventually(async () => ![undefined, crashed].includes(await leader()));
  expect((await health()).status).toBe("DEGRADED");
});
