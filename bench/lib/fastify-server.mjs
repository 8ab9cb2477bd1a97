// Both pieces of work on fastify, at its best: no logger of its own, and a schema of the reply. Told where it was installed.
import { createRequire } from "node:module";
import { router, webhook } from "./work.mjs";

const { fastify } = createRequire(`${process.argv[2]}/`)("fastify");
const write = (record) => process.stdout.write(record);
const reply = { type: "object", properties: { id: { type: "string" }, branch: { type: "string" }, total: { type: "number" } } };

const server = fastify({ logger: false });
server.post("/webhook", (request, response) => {
  response.type("text/plain; charset=utf-8");
  response.send(webhook.byHand(request.body, write));
});
server.post("/router", { schema: { response: { 200: reply } } }, (request, response) => {
  response.send(router.byHand(request.body));
});
const baseUrl = await server.listen({ port: 0, host: "127.0.0.1" });
process.stdout.write(`${JSON.stringify({ baseUrl })}\n`);
process.on("SIGTERM", () => process.exit(0));
