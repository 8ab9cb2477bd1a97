// npm run bench:fastify — both workloads on fastify and on Sluice, compared with bare node:http. Installs fastify into a temporary folder and
// removes it afterwards.
import { roundsOf } from "./lib/compare.mjs";
import { comparePeer, installPackage } from "./lib/peers.mjs";
import { start } from "./lib/processes.mjs";

const rounds = roundsOf("fastify");
const folder = await installPackage("fastify@5.12.8");
const peer = await start([process.execPath, "bench/lib/fastify-server.mjs", folder]);
try {
  await comparePeer("fastify", peer, rounds);
} finally {
  await peer.stop();
}
