// One of the two pieces of work on Sluice and on bare node:http, and on whoever else is named, each answering right before any is measured.
import { compare } from "./compare.mjs";
import { assertAnswer, deploy, startBare, startSluice } from "./processes.mjs";
import { works } from "./work.mjs";

/** The shares by name; `others` are sides ({name, server, path}) of servers that run already. */
export async function compareBesideBare(workName, turns, others = []) {
  const work = works[workName];
  const bare = await startBare(workName);
  const sluice = await startSluice();
  try {
    await deploy(sluice.baseUrl, work);
    const sides = [{ name: "bare", server: bare, path: "/api/hook" }, { name: "sluice", server: sluice, path: "/api/hook" }, ...others].map((side) => ({
      ...side,
      body: work.body,
    }));
    for (const { server, path, body } of sides) await assertAnswer(server.baseUrl, path, body, work.answer);
    return await compare(sides, turns);
  } finally {
    await sluice.stop();
    await bare.stop();
  }
}
