// Random changes to all stored state, kill -9 at a random moment, restart, and comparison with a model of the acknowledged changes.
// SLUICE_SEEDS sets the number of histories.
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { eventually } from "../started-server.ts";
import { apply, compare, drainFlow, kinds, Model, storeFlow, type Change, type Kind } from "./random-model.ts";

const seeds = Number(process.env["SLUICE_SEEDS"] ?? 20);
const firstSeed = Number(process.env["SLUICE_FIRST_SEED"] ?? 1);
const operations = 100;
const ids = ["a", "b", "c", "d"];

/** A generator of integers from 0 to `below` - 1, reproducible by its seed; the quality of the numbers does not matter. */
function randomIntegers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function nextChange(model: Model, random: (below: number) => number, name: string): Change {
  const kind = kinds[random(kinds.length)] as Kind;
  if (kind === "message") return { kind, id: `message-${name}`, value: "queued" };
  if (kind === "deadLetter") {
    const existing = model.ids("deadLetter");
    return random(3) === 0 && existing.length > 0
      ? { kind, id: existing[random(existing.length)] as string, value: undefined }
      : { kind, id: `dead-letter-${name}`, value: "stored" };
  }
  return { kind, id: ids[random(ids.length)] as string, value: random(4) === 0 ? undefined : `v${name}-${random(1_000)}` };
}

/** Makes changes until the process is killed. */
async function change(server: SpawnedServer, model: Model, random: (below: number) => number, round: number): Promise<void> {
  const killAfter = random(operations);
  for (let count = 0; count < operations; count++) {
    const next = nextChange(model, random, `${round}-${count}-`);
    model.unacknowledged = next;
    if (count === killAfter) setTimeout(() => server.child.kill("SIGKILL"), random(12));
    const reply = await apply(server, next);
    if (reply === undefined) return;
    expect([next, reply.status, reply.text]).toEqual([next, expect.toBeOneOf([200, 201, 404]), expect.anything()]);
    if (reply.status === 404) expect(next.value).toBeUndefined();
    model.settle(next);
    model.unacknowledged = undefined;
  }
}

/** Every acknowledged message exists with its content: a route moves it from the queue to the dead letters. */
async function drain(server: SpawnedServer, model: Model): Promise<void> {
  const acknowledged = [...model.acknowledged.keys()].filter((key) => key.startsWith("message ")).map((key) => key.slice("message ".length));
  expect((await server.putFlow("drain", drainFlow)).status).toBe(201);
  for (const id of acknowledged) await eventually(async () => (await server.api("GET", `/dead-letters?text=${id}&limit=1`)).json.total >= 1, 20_000);
}

for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
  it(`history ${seed} equals the model after kill -9 and restart`, async () => {
    const random = randomIntegers(seed);
    const model = new Model();
    let server = await spawnServer();
    const { dataDir } = server;
    try {
      expect((await server.putFlow("store", storeFlow)).status).toBe(201);
      for (let round = 0; round < 2; round++) {
        await change(server, model, random, round);
        await server.end("SIGKILL");
        server = await spawnServer({ dataDir });
        await compare(server, model, ids);
        model.unacknowledged = undefined;
      }
      await drain(server, model);
    } finally {
      await server.end("SIGKILL");
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 600_000);
}
