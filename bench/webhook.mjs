// npm run bench:webhook — the webhook flow (parse JSON, log the body, answer `ok`) against bare node:http doing the same
// work. Server on core 0, load on core 1.
import { compare, report, roundsOf } from "./lib/compare.mjs";
import { assertAnswer, deploy, startBare, startSluice } from "./lib/processes.mjs";
import { webhook } from "./lib/work.mjs";

const turns = roundsOf("webhook");
const bare = await startBare("webhook");
const sluice = await startSluice();
try {
  await deploy(sluice.baseUrl, webhook);
  const sides = [
    { name: "bare", server: bare, path: "/api/hook", body: webhook.body },
    { name: "sluice", server: sluice, path: "/api/hook", body: webhook.body },
  ];
  for (const { server, path, body } of sides) await assertAnswer(server.baseUrl, path, body, webhook.answer);
  report("webhook", await compare(sides, turns));
} finally {
  await sluice.stop();
  await bare.stop();
}
