// A Fastify application with flows inside. Run it with `node examples/embedded/fastify.mjs`.
import { readFileSync } from "node:fs";
import fastify from "fastify";
import { createSluice } from "sluice";

const greeting = readFileSync(new URL("flow.yaml", import.meta.url), "utf8");
const sluice = await createSluice({ flows: { greeting }, deployToken: process.env.SERVICE_DEPLOY_TOKEN });

const app = fastify();
// Before Fastify reads the body: flows read it themselves. Requests that no flow serves are passed on.
app.addHook("onRequest", (request, reply, next) => sluice.handler(request.raw, reply.raw, next));
app.addHook("onClose", () => sluice.close());
app.get("/", async () => "Response from Fastify");
app.post("/orders", async (request) => {
  const result = await sluice.invoke("greeting", { body: JSON.stringify(request.body) });
  return `${result.body}, through Fastify`;
});

console.log(await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" }));

process.once("SIGTERM", () => app.close());
