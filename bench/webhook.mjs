// npm run bench:webhook — the webhook flow (parse JSON, log the body, respond `ok`) compared with bare node:http doing the same work. Server on core
// 0, load on core 1.
import { compareWithBare } from "./lib/compare-with-bare.mjs";
import { report, roundsOf } from "./lib/compare.mjs";

report("webhook", await compareWithBare("webhook", roundsOf("webhook")));
