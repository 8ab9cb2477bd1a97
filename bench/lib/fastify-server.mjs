// Both workloads on fastify in its best configuration: no logger, and a response schema. Receives its install folder.
import { createRequire } from "node:module";
import { router, webhook } from "./workloads.mjs";

const { fastify } = createRequire(`${process.argv[2]}/`)("fastify");
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
