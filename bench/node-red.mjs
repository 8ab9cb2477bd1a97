// npm run bench:node-red — both workloads on Node-RED and on Sluice, compared with bare node:http. Installs Node-RED into a temporary folder (about
// 60 MB, about a minute) and removes it afterwards.
import { spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { roundsOf } from "./lib/compare.mjs";
import { killOnExit } from "./lib/cleanup.mjs";
import { freePort } from "@sluice/testkit";
import { onCore } from "./lib/load.mjs";
import { comparePeer, installPackage } from "./lib/peers.mjs";

const rounds = roundsOf("node-red");

/** The current major version needs Node 22.9; the previous one supports all Node versions that Sluice supports. */
const [major, minor] = process.versions.node.split(".").map(Number);
const folder = await installPackage(major > 22 || (major === 22 && minor >= 9) ? "node-red@5.0.7" : "node-red@4.1.8");

/** The best case for Node-RED: one function node between the HTTP nodes. The webhook writes one record to a file, as the other servers do. */
const flows = [
  { id: "tab", type: "tab", label: "bench" },
  { id: "in1", type: "http in", z: "tab", url: "/webhook", method: "post", upload: false, wires: [["fn1"]] },
  {
    id: "fn1",
    type: "function",
    z: "tab",
    outputs: 2,
    func: 'const line = JSON.stringify({ time: new Date().toISOString(), level: "INFO", logger: "webhook", message: JSON.stringify(msg.payload) });\nmsg.payload = "ok";\nmsg.headers = {"content-type": "text/plain; charset=utf-8"};\nreturn [msg, { payload: line }];',
    wires: [["out"], ["file"]],
  },
  {
    id: "file",
    type: "file",
    z: "tab",
    filename: join(folder, "log"),
    filenameType: "str",
    appendNewline: true,
    createDir: false,
    overwriteFile: "false",
    wires: [[]],
  },
  { id: "in2", type: "http in", z: "tab", url: "/router", method: "post", upload: false, wires: [["switch"]] },
  {
    id: "switch",
    type: "switch",
    z: "tab",
    property: "payload.country",
    propertyType: "msg",
    rules: [{ t: "eq", v: "DE", vt: "str" }, { t: "eq", v: "FR", vt: "str" }, { t: "else" }],
    checkall: "false",
    outputs: 3,
    wires: [["domestic"], ["europe"], ["world"]],
  },
  ...["domestic", "europe", "world"].map((branch) => ({
    id: branch,
    type: "function",
    z: "tab",
    outputs: 1,
    func: `let total = 0;\nfor (const line of msg.payload.lines) total += line.quantity * line.price;\nmsg.payload = { id: msg.payload.id, branch: "${branch}", total };\nmsg.headers = {"content-type": "application/json"};\nreturn msg;`,
    wires: [["out"]],
  })),
  { id: "out", type: "http response", z: "tab", statusCode: "", headers: {}, wires: [] },
  // Nodes without a position on the canvas are treated as configuration nodes.
].map((node) => (node.type === "tab" ? node : { ...node, x: 0, y: 0 }));

async function startNodeRed() {
  const port = await freePort();
  const user = join(folder, "user");
  mkdirSync(user);
  writeFileSync(join(user, "flows.json"), JSON.stringify(flows));
  writeFileSync(
    join(user, "settings.js"),
    `module.exports = { uiHost: "127.0.0.1", uiPort: ${port}, flowFile: "flows.json", httpAdminRoot: false, logging: { console: { level: "off" } } };`,
  );
  const output = openSync(join(folder, "output"), "a");
  const [file, ...parameters] = onCore(0, [process.execPath, join(folder, "node_modules/node-red/red.js"), "--userDir", user]);
  const child = killOnExit(spawn(file, parameters, { stdio: ["ignore", output, output] }));
  const baseUrl = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    const reply = await fetch(`${baseUrl}/webhook`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).catch(() => undefined);
    if (reply?.ok === true) break;
    if (tries > 150 || child.exitCode !== null) throw new Error(`Node-RED did not start: ${readFileSync(join(folder, "output"), "utf8").slice(-500)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { baseUrl, child, stop: () => new Promise((resolve) => (child.once("exit", resolve), child.kill("SIGKILL"))) };
}

const peer = await startNodeRed();
try {
  await comparePeer("node-red", peer, rounds);
} finally {
  await peer.stop();
}
