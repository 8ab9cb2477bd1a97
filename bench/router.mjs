// npm run bench:router — a content-based router with a JSON response (choose one of three branches by a field, add up the lines) compared with bare
// node:http doing the same work.
import { compareWithBare } from "./lib/compare-with-bare.mjs";
import { report, roundsOf } from "./lib/compare.mjs";

report("router", await compareWithBare("router", roundsOf("router")));
