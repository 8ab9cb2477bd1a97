// npm run bench:hot-path — the cost of a webhook from request to response without sockets, compared with the same work written by hand in the same
// process.
import { channel } from "node:diagnostics_channel";
import { openSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration, startServer } from "@sluice/server";
import { temporaryFolder } from "./lib/cleanup.mjs";
import { put, putDocument, token } from "./lib/processes.mjs";
import { printResult } from "./lib/result.mjs";
import { compareWithHandWritten, printComparison } from "./lib/slices.mjs";
import { numbersOf } from "./lib/usage.mjs";
import { router, webhook } from "./lib/workloads.mjs";

const [slices] = numbersOf("hot-path", { name: "slices", usual: 400, short: 100, min: 20 });

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

let responseBody = "";
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
    responseBody = body;
  }
  end(body) {
    if (body !== undefined) responseBody = body;
  }
}

const lines = [];
function write(record) {
  lines.push(record);
  if (lines.length > 100) lines.length = 0;
}

const data = temporaryFolder("hot-path");
const running = await startServer(
  readConfiguration({}, { SERVICE_PORT: "0", SERVICE_DATA_DIR: data, SERVICE_DEPLOY_TOKEN: token }),
  openSync(join(data, "output"), "a"),
);

/** The node:http server of the runtime, captured from its first request. */
async function httpServer(baseUrl) {
  let found;
  const capture = (message) => (found = message.server);
  channel("http.server.request.start").subscribe(capture);
  await fetch(`${baseUrl}/_api/health`);
  channel("http.server.request.start").unsubscribe(capture);
  return found;
}

async function measure(name, { body, response: expected, handWritten }, server) {
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
    const reply = handWritten(JSON.parse(Buffer.concat(chunks).toString("utf8")), write);
    response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
  };
  for (const work of [plain, ours]) {
    work();
    if (responseBody !== expected) throw new Error(`${name} responded with '${responseBody}', expected '${expected}'`);
  }
  return compareWithHandWritten(ours, plain, { slices, calls: 50 });
}

try {
  const { baseUrl } = running;
  await putDocument(baseUrl, "message-mappings/total", router.mapping);
  await put(baseUrl, "webhook", webhook.flow.replace("id: hook", "id: webhook"));
  await put(baseUrl, "router", router.flow.replace("id: hook", "id: router"));
  const server = await httpServer(baseUrl);
  const results = { webhook: await measure("webhook", webhook, server), router: await measure("router", router, server) };
  printComparison(results);
  printResult("hot-path", results);
} finally {
  await running.stop();
}
