// Many flows whose ids look like file names, deployed and removed in random order, then kill -9 and a restart.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { flowIds } from "../../packages/server/src/flows/flow-ids.test-support.ts";
import { spawnServer } from "../spawned-server.ts";
import { call, replyFlow } from "../started-server.ts";

const histories = Number(process.env["SLUICE_SEEDS"] ?? 20);
const policy = { authenticate: [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "k", key: "k-0123456789abcdef" }] }], default: "allow" };

interface Step {
  readonly id: string;
  readonly isRemoval: boolean;
  readonly isProtected: boolean;
}

const steps = fc.array(fc.record({ id: flowIds, isRemoval: fc.boolean(), isProtected: fc.boolean() }), { minLength: 20, maxLength: 60 });

/** The expected state of a flow: its route's response, and whether a caller without a key is rejected. */
interface Expected {
  readonly text: string;
  readonly isProtected: boolean;
}

async function applyHistory(history: readonly Step[]): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-ids-"));
  const model = new Map<string, Expected>();
  const spelling = new Map<string, string>();
  let server = await spawnServer({ dataDir });
  try {
    for (const [index, { id, isRemoval, isProtected }] of history.entries()) {
      const existing = spelling.get(id.toLowerCase());
      if (isRemoval) {
        expect([id, (await server.api("DELETE", `/flows/${id}`)).status]).toEqual([id, model.has(id) ? 200 : 404]);
        if (!model.delete(id)) continue;
        spelling.delete(id.toLowerCase());
        await server.api("DELETE", `/auth/${id}`);
        continue;
      }
      const put = await server.putFlow(id, replyFlow(`r${index}`, `t${index}`));
      expect([id, put.status]).toEqual([id, existing === undefined ? 201 : existing === id ? 200 : 409]);
      if (put.status === 409) continue;
      spelling.set(id.toLowerCase(), id);
      if (isProtected) expect((await server.api("PUT", `/auth/${id}`, policy)).status).toBeLessThan(300);
      model.set(id, { text: `t${index}`, isProtected: isProtected || model.get(id)?.isProtected === true });
    }
    await server.end("SIGKILL");
    server = await spawnServer({ dataDir });
    const { flows } = (await server.api("GET", "/flows")).json;
    expect(flows.map(({ id }: { id: string }) => id)).toEqual([...model.keys()].sort());
    expect(readdirSync(join(dataDir, "routes"))).toHaveLength(model.size);
    for (const [id, { text, isProtected }] of model) {
      const routeId = `r${text.slice(1)}`;
      const reply = await call(server.baseUrl, "POST", `/api/${routeId}`, "x");
      expect([id, reply.status, isProtected || reply.text]).toEqual([id, isProtected ? 401 : 200, isProtected || text]);
    }
  } finally {
    await server.end("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
}

it(
  `flows whose ids look like file names are unchanged after kill -9 and a restart, in ${histories} random histories`,
  () => fc.assert(fc.asyncProperty(steps, applyHistory), { numRuns: histories, endOnFailure: true }),
  60_000 + histories * 60_000,
);
