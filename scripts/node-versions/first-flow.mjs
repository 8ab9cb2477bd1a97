// What a new user does with the packed package on a version of Node: install it, start it, deploy a flow and call it, send a durable message.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { environmentOf } from "./install-node.mjs";

const flows = `- route: {id: hello, from: {uri: webhook, steps: [{setBody: {simple: "Hello \${body}"}}]}}
- route: {id: accept, from: {uri: webhook, steps: [{to: 'queue:work'}]}}
- route: {id: work, from: {uri: 'queue:work', steps: [{log: 'worked on \${body}'}]}}
`;

/** Rejects with the reason when a step fails. */
export async function runFirstFlow({ node, tarball, folder }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "first.yaml"), flows);
  const env = { ...environmentOf(node), SERVICE_PORT: "0", DESIGNER_PORT: "0", NO_COLOR: "1" };
  const run = (command, parameters) => promisify(execFile)(command, parameters, { cwd: folder, env });
  const install = (name) => run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", name]);
  await install(tarball);
  const command = join(folder, "node_modules/sluice/bin/sluice.cjs");
  const remedy = await missingSqlite(() => run(node, [command, "doctor", "--json"]));
  if (remedy !== undefined) await install(remedy);
  const started = await start(node, [command, "start"], { cwd: folder, env });
  try {
    await run(node, [command, "deploy", "first.yaml", "--runtime", started.runtime]);
    const post = async (path, body) => (await fetch(`${started.runtime}/api/${path}`, { method: "POST", body })).text();
    expectText(await post("hello", "Ada"), "Hello Ada");
    await post("accept", "x");
    await started.printed("worked on x");
    expectText(await (await fetch(started.designer)).text(), "<title>");
  } finally {
    await started.stop();
  }
}

/** The package that `sluice doctor` names when Node does not include SQLite. */
async function missingSqlite(doctor) {
  // Doctor ends with 1, because no runtime runs yet.
  const { stdout } = await doctor().catch((error) => error);
  const { fix } = JSON.parse(stdout).findings.find(({ check }) => check === "durable store");
  return fix === undefined ? undefined : /npm i (\S+?)'/.exec(fix)[1];
}

/** Starts the runtime and the designer; resolves when both have printed their addresses. */
function start(node, parameters, options) {
  const child = spawn(node, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  let output = "";
  const waiting = new Set();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      output += `${line}\n`;
      for (const check of waiting) check();
    });
  const printed = (pattern) =>
    new Promise((resolve, reject) => {
      const check = () => {
        const match = output.match(pattern);
        if (match === null) return;
        waiting.delete(check);
        resolve(match);
      };
      waiting.add(check);
      void ended.then((code) => reject(new Error(`sluice start ended with ${code}:\n${output}`)));
      check();
    });
  return Promise.all([printed(/^Runtime +(\S+)/m), printed(/^Designer +(\S+)/m), printed(/^Deploy token/m)]).then(([runtime, designer]) => ({
    runtime: runtime[1],
    designer: designer[1],
    printed,
    async stop() {
      child.kill("SIGTERM");
      const code = await ended;
      if (code !== 0) throw new Error(`sluice start ended with ${code}:\n${output}`);
    },
  }));
}

function expectText(text, part) {
  if (!text.includes(part)) throw new Error(`expected '${part}', received '${text.slice(0, 500)}'`);
}
