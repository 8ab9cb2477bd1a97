// `sluice cluster` from the user's point of view: one command starts a cluster that survives kills, and Ctrl-C stops all of it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { findProgram } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cliFolder } from "./cli-process.ts";
import { eventually, replyFlow } from "./started-server.ts";

const bin = fileURLToPath(new URL("../packages/cli/bin/sluice.cjs", import.meta.url));

describe.skipIf(findProgram("nats-server") === undefined)("sluice cluster (needs nats-server)", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-cluster-command-"));
  const data = join(folder, "data");
  let command: ChildProcess;
  let messages = "";
  const url = (): string => /Load balancer (\S+)/.exec(messages)?.[1] as string;
  const pidOf = (node: string): number => Number(new RegExp(`${node} .*pid (\\d+)`).exec(messages)?.[1]);
  const token = (): string => readFileSync(join(data, "deploy-token"), "utf8").trim();
  const nodes = async (): Promise<readonly { node: string; ready: boolean; boot: string }[]> =>
    ((await (await fetch(`${url()}/_api/nodes`, { headers: { authorization: `Bearer ${token()}` } })).json()) as any).nodes;

  beforeAll(async () => {
    const env = { PATH: process.env["PATH"], HOME: folder, SERVICE_CLUSTER_TTL: "5s" };
    command = spawn(process.execPath, [bin, "cluster", "--port", "0", "--data-dir", data], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
    command.stderr?.on("data", (chunk) => (messages += chunk));
    await eventually(() => messages.includes("Load balancer") || command.exitCode !== null);
    expect(messages).toMatch(/node-1 .*\n.*node-2 .*\n.*node-3 /);
    await eventually(async () => (await nodes()).filter(({ ready }) => ready).length === 3);
  });
  afterAll(() => {
    command.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("deploys to every node through the load balancer, and lists the nodes", async () => {
    const reply = await fetch(`${url()}/_api/flows/greet`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token()}`, "content-type": "application/yaml" },
      body: replyFlow("greet", "hello"),
    });
    expect([reply.status, ((await reply.json()) as any).cluster]).toEqual([201, { revision: 1, nodes: 3, running: 3, behind: [] }]);
    const user = cliFolder({ SLUICE_RUNTIME: url(), SERVICE_DEPLOY_TOKEN: token() });
    const { exit, output } = await user.sluice("nodes");
    expect([exit, output.split("\n").map((line) => line.slice(0, 14))]).toEqual([
      0,
      ["NODE    STATE ", "node-1  ready ", "node-2  ready ", "node-3  ready ", ""],
    ]);
    expect((await user.sluice("doctor")).output).toContain("cluster 'sluice' (NATS), revision 1, nodes: node-1, node-2, node-3");
    user.remove();
  });

  it("responds to every request after a node was killed, and starts the node again", async () => {
    const before = new Set((await nodes()).map(({ boot }) => boot));
    process.kill(pidOf("node-2"), "SIGKILL");
    // Until the system has ended the process, it still accepts connections, and they are lost with it.
    await eventually(() => messages.includes("node-2 was killed by SIGKILL and is being restarted"));
    const replies: string[] = [];
    // A connection that was kept open to the killed node is lost.
    const isBack = async (): Promise<boolean> =>
      (await nodes().catch(() => [])).some(({ node, ready, boot }) => node === "node-2" && ready && !before.has(boot));
    await eventually(async () => {
      for (let count = 0; count < 10; count++) replies.push(await postOnNewConnection(`${url()}/api/greet`));
      return isBack();
    });
    expect(new Set(replies)).toEqual(new Set(["200 hello"]));
  });

  it("stops everything on Ctrl-C and keeps the data", async () => {
    const exited = once(command, "exit");
    command.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
    const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
    const commands = pids.map(readCommand);
    expect(commands.filter((text) => text.includes(data))).toEqual([]);
    expect(readdirSync(data).toSorted()).toEqual(["deploy-token", "nats-1", "nats-2", "nats-3", "node-1", "node-2", "node-3"]);
  });
});

/** Status and text of a POST on a new connection, because open connections to a killed process are lost. */
async function postOnNewConnection(address: string): Promise<string> {
  const outgoing = request(address, { method: "POST", agent: false }).end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return `${response.statusCode} ${await text(response)}`;
}

/** Command line and environment of a process; empty when it has ended. */
function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") + readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

describe("sluice cluster with settings that cannot be used", () => {
  const user = cliFolder();
  afterAll(() => user.remove());

  it("rejects a wrong setting before a node is started", async () => {
    const { exit, stderr } = await user.shell("sluice cluster --nodes 1 --port 0", { SERVICE_CLUSTER: "ftp://somewhere" });
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/^sluice cluster: SERVICE_CLUSTER: expected nats:.*\n$/)]);
  });

  it("reports why a node cannot start, and stops", async () => {
    const { exit, stderr } = await user.shell("sluice cluster --nodes 1 --port 0 --store nats://127.0.0.1:9/demo", { SERVICE_CONNECTORS: "nowhere" });
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(/node-1 exited with code 2 before it was ready\n.*SERVICE_CONNECTORS: the package 'nowhere' is not installed/s),
    ]);
  });
});
