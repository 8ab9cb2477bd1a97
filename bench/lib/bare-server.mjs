// The practical limit: the same work on bare node:http, written as one would write it by hand.
import { createServer } from "node:http";

const work = {
  /** Parse, write one log record, answer `ok`. */
  webhook(text) {
    const body = JSON.parse(text);
    process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), level: "INFO", logger: "webhook", message: JSON.stringify(body) })}\n`);
    return { type: "text/plain; charset=utf-8", body: "ok" };
  },
  /** Choose a branch by a field, compute a total, answer JSON. */
  router(text) {
    const order = JSON.parse(text);
    const branch = order.country === "DE" ? "domestic" : order.country === "FR" ? "europe" : "world";
    let total = 0;
    for (const line of order.lines) total += line.quantity * line.price;
    return { type: "application/json", body: JSON.stringify({ id: order.id, branch, total }) };
  },
}[process.argv[2] ?? "webhook"];

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const reply = work(Buffer.concat(chunks).toString("utf8"));
    response.writeHead(200, { "content-type": reply.type, "content-length": Buffer.byteLength(reply.body) });
    response.end(reply.body);
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` })}\n`));
process.on("SIGTERM", () => process.exit(0));
