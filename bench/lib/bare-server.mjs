// The practical limit: the same work on bare node:http, written as one would write it by hand.
import { createServer } from "node:http";
import { works } from "./work.mjs";

const { byHand } = works[process.argv[2] ?? "webhook"];
const write = (record) => process.stdout.write(record);

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const reply = byHand(JSON.parse(Buffer.concat(chunks).toString("utf8")), write);
    const isText = typeof reply === "string";
    const body = isText ? reply : JSON.stringify(reply);
    response.writeHead(200, { "content-type": isText ? "text/plain; charset=utf-8" : "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` })}\n`));
process.on("SIGTERM", () => process.exit(0));
