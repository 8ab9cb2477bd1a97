// Runs one workload on Sluice, on bare node:http and on any additional servers; each response is verified before measuring.
import { compare } from "./compare.mjs";
import { assertResponse, deploy, startBare, startSluice } from "./processes.mjs";
import { workloads } from "./workloads.mjs";

/** Ratios by name; `others` are sides ({name, server, path}) of running servers. */
export async function compareWithBare(workName, rounds, others = []) {
  const work = workloads[workName];
  const bare = await startBare(workName);
  const sluice = await startSluice();
  try {
    await deploy(sluice.baseUrl, work);
    const sides = [{ name: "bare", server: bare, path: "/api/hook" }, { name: "sluice", server: sluice, path: "/api/hook" }, ...others].map((side) => ({
      ...side,
      body: work.body,
    }));
    for (const { server, path, body } of sides) await assertResponse(server.baseUrl, path, body, work.response);
    return await compare(sides, rounds);
  } finally {
    await sluice.stop();
    await bare.stop();
  }
}
