// An Express application with flows inside. Run it with `node examples/embedded/express.mjs`.
import { readFileSync } from "node:fs";
import express from "express";
import { createSluice } from "sluice";

const greeting = readFileSync(new URL("flow.yaml", import.meta.url), "utf8");
const sluice = await createSluice({ flows: { greeting }, deployToken: process.env.SERVICE_DEPLOY_TOKEN });

const app = express();
// Before any body parser: flows read the body themselves. Requests that no flow serves are passed on.
app.use(sluice.handler);
app.use(express.json());
app.get("/", (request, response) => void response.send("Response from Express"));
app.post("/orders", async (request, response) => {
  const result = await sluice.invoke("greeting", { body: JSON.stringify(request.body) });
  response.send(`${result.body}, through Express`);
});

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

process.once("SIGTERM", async () => {
  server.close();
  await sluice.close();
});
