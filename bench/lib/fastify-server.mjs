// Both workloads on fastify in its best configuration: no logger, and a response schema.
import { fastify } from "fastify";
import { router, webhook } from "./workloads.mjs";

const write = (record) => process.stdout.write(record);
const reply = { type: "object", properties: { id: { type: "string" }, branch: { type: "string" }, total: { type: "number" } } };

const server = fastify({ logger: false });
server.post("/webhook", (request, response) => {
  response.type("text/plain; charset=utf-8");
  response.send(webhook.handWritten(request.body, write));
});
server.post("/router", { schema: { response: { 200: reply } } }, (request, response) => {
  response.send(router.handWritten(request.body));
});
const baseUrl = await server.listen({ port: 0, host: "127.0.0.1" });
process.stdout.write(`${JSON.stringify({ baseUrl })}\n`);
process.on("SIGTERM", () => process.exit(0));
