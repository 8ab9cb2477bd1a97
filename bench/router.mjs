// npm run bench:router — a content router with a JSON reply (choose one of three branches by a field, add up the lines)
// against bare node:http doing the same work.
import { compare, report, roundsOf } from "./lib/compare.mjs";
import { assertAnswer, deploy, startBare, startSluice } from "./lib/processes.mjs";
import { router } from "./lib/work.mjs";

const turns = roundsOf("router");
const bare = await startBare("router");
const sluice = await startSluice();
try {
  await deploy(sluice.baseUrl, router);
  const sides = [
    { name: "bare", server: bare, path: "/api/hook", body: router.body },
    { name: "sluice", server: sluice, path: "/api/hook", body: router.body },
  ];
  for (const { server, path, body } of sides) await assertAnswer(server.baseUrl, path, body, router.answer);
  report("router", await compare(sides, turns));
} finally {
  await sluice.stop();
  await bare.stop();
}
