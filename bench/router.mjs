// npm run bench:router — a content router with a JSON reply (choose one of three branches by a field, add up the lines)
// against bare node:http doing the same work.
import { compareBesideBare } from "./lib/beside-bare.mjs";
import { report, roundsOf } from "./lib/compare.mjs";

report("router", await compareBesideBare("router", roundsOf("router")));
