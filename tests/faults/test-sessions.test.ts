// Many test sessions, many recorded calls, and a process that is killed, at full scale.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { residentMiB, watchMemory } from "../process-usage.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, directFlow, eventually, sleep } from "../started-server.ts";
import { stubPartner, type StubPartner } from "../stub-partner.ts";

let server: SpawnedServer;
let partner: StubPartner;
const calling = (url: string): string => `- route:\n    id: hook\n    from:\n      uri: webhook\n      steps:\n        - to: {id: out, uri: "${url}/erp"}\n`;
const mocked = { mocks: [{ id: "m", match: { stepId: "out" }, respond: { body: "mocked" } }] };

beforeAll(async () => {
  partner = await stubPartner((_call, response) => void response.end("real"));
  server = await spawnServer({ env: { SERVICE_RUN_MS: "10m" } });
  expect((await server.putFlow("hook", calling(partner.url))).status).toBe(201);
});
afterAll(async () => {
  await server.end("SIGKILL");
  await partner.close();
  server.clean();
});

const open = async (body: unknown): Promise<any> => {
  const reply = await server.api("POST", "/test/session", body);
  expect([reply.status, reply.json.error]).toEqual([201, undefined]);
  return reply.json;
};
const post = async (headers: Readonly<Record<string, string>> = {}): Promise<string> => (await call(server.baseUrl, "POST", "/api/hook", "x", headers)).text;

/** Calls `work` `count` times, `width` calls at a time. */
async function runConcurrently(count: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

describe("10,000 sessions", () => {
  it("opened and closed have distinct ids of 130 random bits", async () => {
    const ids = new Set<string>();
    await runConcurrently(10_000, 20, async () => {
      const { sessionId, ttlMs } = await open({});
      expect([sessionId, ttlMs]).toEqual([expect.stringMatching(/^ts_[0-9A-HJKMNP-TV-Z]{26}$/), 60_000]);
      ids.add(sessionId);
      expect((await server.api("DELETE", `/test/session/${sessionId}`)).status).toBe(200);
    });
    expect(ids.size).toBe(10_000);
    // Every character occurs about equally often at every position: nothing in the ids is a counter.
    for (let position = 3; position < 29; position++) {
      const seen = new Map<string, number>();
      for (const id of ids) seen.set(id.charAt(position), (seen.get(id.charAt(position)) ?? 0) + 1);
      expect([position, seen.size, Math.max(...seen.values()) < 500]).toEqual([position, 32, true]);
    }
  });
});

describe("live traffic while a session mocks a step of its route", () => {
  it("uses the real step in all of 2,000 calls, and the session's calls never do", async () => {
    const { sessionId } = await open({ ...mocked, scope: "session" });
    const before = partner.calls.length;
    const replies = { live: new Map<string, number>(), session: new Map<string, number>() };
    await runConcurrently(4_000, 50, async (index) => {
      const kind = index % 2 === 0 ? "live" : "session";
      const text = await post(kind === "live" ? {} : { "x-test-session": sessionId });
      replies[kind].set(text, (replies[kind].get(text) ?? 0) + 1);
    });
    expect([...replies.live]).toEqual([["real", 2_000]]);
    expect([...replies.session]).toEqual([["mocked", 2_000]]);
    expect(partner.calls.length - before).toBe(2_000);
    expect((await server.api("DELETE", `/test/session/${sessionId}`)).json.callCount).toBe(2_000);
  });
});

describe("kill -9 with open sessions", () => {
  it("leaves nothing mocked after the restart, and the ids are unknown", async () => {
    const sessions = [await open(mocked), await open({ ...mocked, scope: "session" })];
    expect(await post()).toBe("mocked");
    expect(await server.end("SIGKILL")).toBe("SIGKILL");
    server = await spawnServer({ dataDir: server.dataDir, env: { SERVICE_RUN_MS: "10m" } });
    const before = partner.calls.length;
    expect(await post()).toBe("real");
    expect(partner.calls.length - before).toBe(1);
    for (const { sessionId } of sessions) {
      const reply = await server.api("DELETE", `/test/session/${sessionId}`);
      expect([reply.status, reply.json]).toEqual([404, { error: `test session '${sessionId}' not found` }]);
      expect((await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:x" })).status).toBe(404);
    }
  });
});

describe("100,000 mocked calls with bodies of 1 MB", () => {
  it("are counted exactly, stored within limits and without secrets", async () => {
    const secret = `S3CR3T-${"7".repeat(8)}`;
    const repeated = directFlow(
      "many",
      `setHeader: {name: X-Api-Key, constant: ${secret}}`,
      `loop: {constant: 100000, steps: [{to: {id: send, uri: "mock:sent"}}]}`,
    );
    expect((await server.putFlow("many", repeated)).status).toBe(201);
    const { sessionId } = await open({ scope: "session", ttlMs: 3_600_000, mocks: [{ id: "sent", match: { stepId: "send" }, respond: {} }] });
    const memory = watchMemory(server.pid);
    const reply = await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:many", body: "y".repeat(1_000_000), timeoutMs: 300_000 });
    memory.stop();
    expect([reply.status, reply.json.status, reply.json.error]).toEqual([200, "completed", null]);
    const closed = await server.api("DELETE", `/test/session/${sessionId}`);
    expect([closed.json.truncated, closed.json.callCount]).toEqual([true, 100_000]);
    expect(closed.json.recordedCalls.length).toBeLessThanOrEqual(1_000);
    expect(closed.text).not.toContain(secret);
    expect(memory.peak() - memory.before).toBeLessThan(250);
  });
});

describe("1,000 sessions that are never closed", () => {
  it("are limited, and are removed with their memory when they expire", async () => {
    const before = residentMiB(server.pid);
    const statuses = new Map<number, number>();
    // The first session must not expire before the last one is requested, even on a slow machine.
    await runConcurrently(1_000, 20, async () => {
      const { status } = await server.api("POST", "/test/session", { ...mocked, scope: "session", ttlMs: 60_000, name: "n".repeat(200) });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    expect(Object.fromEntries(statuses)).toEqual({ 201: 200, 429: 800 });
    await eventually(async () => (await server.api("POST", "/test/session", { ttlMs: 1_000 })).status === 201, 90_000);
    await sleep(1_000);
    expect(await post()).toBe("real");
    expect(residentMiB(server.pid) - before).toBeLessThan(50);
  });
});
