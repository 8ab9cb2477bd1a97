// Reference server: the same work on bare node:http, written by hand. The second argument sets the number of processes.
import cluster from "node:cluster";
import { createServer } from "node:http";
import { workloads } from "./workloads.mjs";

const { handWritten } = workloads[process.argv[2] ?? "webhook"];
const processes = Number(process.argv[3] ?? 1);
const write = (record) => process.stdout.write(record);
const announce = (port) => process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${port}` })}\n`);

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const reply = handWritten(JSON.parse(Buffer.concat(chunks).toString("utf8")), write);
    const isText = typeof reply === "string";
    const body = isText ? reply : JSON.stringify(reply);
    response.writeHead(200, { "content-type": isText ? "text/plain; charset=utf-8" : "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
});

// As in Sluice: an idle connection must not be closed.
server.keepAliveTimeout = 65_000;

function startCluster() {
  let listening = 0;
  cluster.on("listening", (_worker, { port }) => {
    if (++listening === processes) announce(port);
  });
  for (let count = 0; count < processes; count++) cluster.fork();
}

if (processes > 1 && cluster.isPrimary) startCluster();
else server.listen(0, "127.0.0.1", () => cluster.isPrimary && announce(server.address().port));
process.on("SIGTERM", () => process.exit(0));
