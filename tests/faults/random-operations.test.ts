// K18: random changes, kill -9 at a random moment, restart, and comparison with a model that knows which changes were
// acknowledged. SLUICE_SEEDS sets how many histories are tried.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { answering, call } from "../started-server.ts";

const seeds = Number(process.env["SLUICE_SEEDS"] ?? 20);
const operations = 100;
const ids = ["a", "b", "c", "d", "e"];
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Small and repeatable; the quality of its numbers does not matter here. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Model {
  /** The text of each flow whose last change was answered; undefined for removed ones. */
  readonly certain: Map<string, string | undefined>;
  /** What the change that was never answered would have made of its flow. */
  undecided: { readonly id: string; readonly text: string | undefined } | undefined;
}

/** Makes changes one after the other until the process is killed under it. */
async function change(server: SpawnedServer, model: Model, random: (below: number) => number, killAfter: number): Promise<void> {
  for (let count = 0; count < operations; count++) {
    const id = ids[random(ids.length)] as string;
    const text = random(4) === 0 ? undefined : answering(`route-${id}`, `v${count}-${random(1_000)}`);
    model.undecided = { id, text };
    if (count === killAfter) setTimeout(() => server.child.kill("SIGKILL"), random(12));
    const reply = await (text === undefined ? server.api("DELETE", `/flows/${id}`) : server.putFlow(id, text)).catch(() => undefined);
    if (reply === undefined) return;
    expect([200, 201, 404]).toContain(reply.status);
    model.certain.set(id, text);
    model.undecided = undefined;
  }
}

async function compare(server: SpawnedServer, { certain, undecided }: Model): Promise<void> {
  const { flows } = (await server.api("GET", "/flows")).json as { flows: { id: string; hash: string; status: string }[] };
  for (const id of ids) {
    const found = flows.find((flow) => flow.id === id);
    const allowed = [certain.get(id), ...(undecided?.id === id ? [undecided.text] : [])];
    expect(allowed.map((text) => (text === undefined ? undefined : sha256(text)))).toContain(found?.hash);
    const text = allowed.find((candidate) => candidate !== undefined && sha256(candidate) === found?.hash);
    const reply = await call(server.baseUrl, "POST", `/api/route-${id}`, "");
    if (text === undefined) expect(reply.status).toBe(404);
    else expect([found?.status, reply.status, answering(`route-${id}`, reply.text)]).toEqual(["Started", 200, text]);
    certain.set(id, text);
  }
  expect(flows.every(({ id }) => ids.includes(id))).toBe(true);
}

for (let seed = 1; seed <= seeds; seed++) {
  it(`K18: history ${seed} is as the model has it after kill -9 and restart`, async () => {
    const random = randomFrom(seed);
    const model: Model = { certain: new Map(), undecided: undefined };
    let server = await spawnServer();
    const { dataDir } = server;
    try {
      for (let crash = 0; crash < 2; crash++) {
        await change(server, model, random, random(operations));
        await server.end("SIGKILL");
        server = await spawnServer({ dataDir });
        await compare(server, model);
        model.undecided = undefined;
      }
    } finally {
      await server.end("SIGKILL");
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 120_000);
}
