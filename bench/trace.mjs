// npm run bench:trace — the webhook flow with zero, one and ten clients that follow the trace of its route, and a second route that no client follows.
// Shows what tracing costs the traced route, and whether it costs other routes anything. The second route is measured on its own server while the traced
// route is idle, because pending writes to the clients of the traced route must not count.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { compare, report, roundsOf } from "./lib/compare.mjs";
import { killOnExit } from "./lib/cleanup.mjs";
import { put, startSluice, token } from "./lib/processes.mjs";
import { webhook } from "./lib/workloads.mjs";

const rounds = roundsOf("trace");
const flowOf = (id) => webhook.flow.replace("id: hook", `id: ${id}`);

/** A client in a separate process, so that its reading does not affect the measurement; resolves when it is connected. */
async function follow(baseUrl) {
  const address = JSON.stringify(`${baseUrl}/_api/trace/stream?routeId=watched`);
  const code = `const r = await fetch(${address}, { headers: { authorization: "Bearer ${token}" } }); console.log(r.status); for await (const _ of r.body);`;
  const client = killOnExit(spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] }));
  const [status] = await once(client.stdout, "data");
  if (String(status).trim() === "200") return client;
  client.kill("SIGKILL");
  throw new Error(`the trace stream responded with ${String(status).trim()}`);
}

const results = {};
for (const listeners of [1, 10]) {
  const untracedServer = await startSluice();
  const tracedServer = await startSluice();
  const otherServer = await startSluice();
  const clients = [];
  try {
    for (const server of [untracedServer, tracedServer, otherServer]) for (const id of ["watched", "other"]) await put(server.baseUrl, id, flowOf(id));
    for (const server of [tracedServer, otherServer]) for (let count = 0; count < listeners; count++) clients.push(await follow(server.baseUrl));
    const side = (name, server, id) => ({ name, server, path: `/api/${id}`, body: webhook.body });
    const measured = await compare(
      [side("untraced", untracedServer, "watched"), side("watched", tracedServer, "watched"), side("other", otherServer, "other")],
      rounds,
    );
    for (const [name, result] of Object.entries(measured)) results[`${name} with ${listeners}`] = result;
  } finally {
    for (const client of clients) client.kill("SIGKILL");
    await untracedServer.stop();
    await tracedServer.stop();
    await otherServer.stop();
  }
}
report("trace", results);
