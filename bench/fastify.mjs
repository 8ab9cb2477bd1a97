// npm run bench:fastify — both workloads on fastify and on Sluice, compared with bare node:http.
import { roundsOf } from "./lib/compare.mjs";
import { comparePeer } from "./lib/peers.mjs";
import { start } from "./lib/processes.mjs";

const rounds = roundsOf("fastify");
const peer = await start([process.execPath, "bench/lib/fastify-server.mjs"]);
try {
  await comparePeer("fastify", peer, rounds);
} finally {
  await peer.stop();
}
