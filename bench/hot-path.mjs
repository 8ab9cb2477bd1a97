// npm run bench:hot-path — what a webhook costs from its request to its reply, without sockets, beside the same work written by
// hand in the same process. Short slices in turns and their lower quartile: a busy machine only takes slices away.
import { channel } from "node:diagnostics_channel";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration, startServer } from "@sluice/server";
import { put, putDocument, token } from "./lib/processes.mjs";
import { router, webhook } from "./lib/work.mjs";

const slices = Number(process.argv[2] ?? 400);
if (!(slices >= 20)) {
  console.error("usage: npm run bench:hot-path -- [slices, 400]");
  process.exit(2);
}
const perSlice = 50;

const socket = { remoteAddress: "127.0.0.1", on: ignore, once: ignore, cork: ignore, uncork: ignore };
function ignore() {
  return undefined;
}

class Request {
  url;
  method = "POST";
  rawHeaders;
  socket = socket;
  httpVersionMajor = 1;
  httpVersionMinor = 1;
  complete = true;
  data = undefined;
  constructor(url, length) {
    this.url = url;
    this.rawHeaders = ["Host", "127.0.0.1:8080", "Content-Type", "application/json", "Content-Length", length];
  }
  on(name, listener) {
    if (name === "data") this.data = listener;
    return this;
  }
}

let answered = "";
class Response {
  destroyed = false;
  headersSent = false;
  writableLength = 0;
  writableEnded = true;
  shouldKeepAlive = true;
  socket = socket;
  writeHead() {
    return this;
  }
  write(body) {
    answered = body;
  }
  end(body) {
    if (body !== undefined) answered = body;
  }
}

const lines = [];
const byHand = {
  webhook(text) {
    const body = JSON.parse(text);
    lines.push(`${JSON.stringify({ time: new Date().toISOString(), level: "INFO", logger: "webhook", message: JSON.stringify(body) })}\n`);
    if (lines.length > 100) lines.length = 0;
    return "ok";
  },
  router(text) {
    const order = JSON.parse(text);
    const branch = order.country === "DE" ? "domestic" : order.country === "FR" ? "europe" : "world";
    let total = 0;
    for (const line of order.lines) total += line.quantity * line.price;
    return JSON.stringify({ id: order.id, branch, total });
  },
};

const data = mkdtempSync(join(tmpdir(), "sluice-bench-hot-path-"));
const running = await startServer(
  readConfiguration({}, { SERVICE_PORT: "0", SERVICE_DATA_DIR: data, SERVICE_DEPLOY_TOKEN: token }),
  openSync(join(data, "output"), "a"),
);

/** The node:http server behind the runtime, learned from its first request. */
async function httpServer(baseUrl) {
  let found;
  const learn = (message) => (found = message.server);
  channel("http.server.request.start").subscribe(learn);
  await fetch(`${baseUrl}/_api/health`);
  channel("http.server.request.start").unsubscribe(learn);
  return found;
}

/** Nanoseconds per call, once per slice. */
async function slice(work) {
  const began = process.hrtime.bigint();
  for (let count = 0; count < perSlice; count++) work();
  const took = Number(process.hrtime.bigint() - began) / perSlice;
  await new Promise((resolve) => setImmediate(resolve));
  return took;
}

const quartile = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)];

async function measure(name, { body, answer }, server) {
  const bytes = Buffer.from(body);
  const length = String(bytes.length);
  const ours = () => {
    const request = new Request(`/api/${name}`, length);
    server.emit("request", request, new Response());
    request.data(Buffer.from(bytes));
  };
  const plain = () => {
    const request = new Request(`/api/${name}`, length);
    const response = new Response();
    request.on("data", ignore);
    const chunks = [Buffer.from(bytes)];
    response.writeHead(200);
    response.end(byHand[name](Buffer.concat(chunks).toString("utf8")));
  };
  for (const work of [plain, ours]) {
    work();
    if (answered !== answer) throw new Error(`${name} answered ${answered}`);
  }
  const times = { ours: [], plain: [] };
  for (let count = -slices / 2; count < slices; count++) {
    const [first, second] = [await slice(ours), await slice(plain)];
    if (count >= 0) {
      times.ours.push(first);
      times.plain.push(second);
    }
  }
  const [oursNs, plainNs] = [quartile(times.ours), quartile(times.plain)];
  console.log(`${name}: by hand ${plainNs.toFixed(0)} ns, sluice ${oursNs.toFixed(0)} ns, ${(oursNs / plainNs).toFixed(2)} times`);
  return { oursNs, plainNs, ratio: oursNs / plainNs };
}

try {
  const { baseUrl } = running;
  await putDocument(baseUrl, "message-mappings/total", router.mapping);
  await put(baseUrl, "webhook", webhook.flow.replace("id: hook", "id: webhook"));
  await put(baseUrl, "router", router.flow.replace("id: hook", "id: router"));
  const server = await httpServer(baseUrl);
  const results = { webhook: await measure("webhook", webhook, server), router: await measure("router", router, server) };
  console.log(JSON.stringify({ bench: "hot-path", ...results }));
} finally {
  await running.stop();
  rmSync(data, { recursive: true, force: true });
}
