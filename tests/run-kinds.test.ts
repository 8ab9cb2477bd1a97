// Live runs, replays and runs of test sessions are told apart in lists, in memory and on disk.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, directFlow, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

const failingFlow = `- errorHandler:
    deadLetterChannel: sluice:dead-letters
- route:
    id: failing
    from:
      uri: webhook
      steps:
        - throwException: {exceptionType: java.lang.IllegalStateException, message: no}
`;
const outer = replyFlow("outer", "x").replace("setBody:\n            constant: x", "to: direct:inner");
const idOf = async (server: StartedServer, routeId: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
  (await call(server.baseUrl, "POST", `/api/${routeId}`, "x", headers)).headers.get("x-run-id") as string;

describe.each(["memory", "disk", "disk, after a restart"])("kinds of runs in %s", (where) => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-run-kinds-"));
  const env = { SERVICE_RUN_STORE: where === "memory" ? "memory" : "disk" };
  let server: StartedServer;
  const kindsIn = async (query: string): Promise<readonly string[]> => {
    const { runs, total } = (await server.api("GET", `/runs?${query}`)).json;
    expect(total).toBe(runs.length);
    return runs.map(({ routeId, kind }: any) => `${routeId} ${kind}`).toSorted();
  };
  let sessionId: string;
  const replays = ["failing replay", "inner replay", "outer replay"];
  const live = ["failing live", "inner live", "outer live"];
  const tests = ["inner test", "outer test"];

  beforeAll(async () => {
    server = await startTestServer({ env, dataDir });
    await server.putFlow("outer", outer);
    await server.putFlow("inner", directFlow("inner", "setBody: {constant: y}"));
    await server.putFlow("failing", failingFlow);
    const run = await idOf(server, "outer");
    await idOf(server, "failing");
    expect((await server.api("POST", `/runs/${run}/replay`, {})).json.status).toBe("completed");
    const [deadLetter] = (await server.api("GET", "/dead-letters")).json.deadLetters;
    expect((await server.api("POST", `/dead-letters/${deadLetter.id}/replay`)).status).toBe(200);
    ({ sessionId } = (await server.api("POST", "/test/session", { scope: "session", mocks: [] })).json);
    await idOf(server, "outer", { "x-test-session": sessionId });
    if (where !== "disk, after a restart") return;
    await server.stop();
    server = await startTestServer({ env, dataDir });
  });
  afterAll(async () => {
    await server.end();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it.each([
    ["", [...live, ...replays]],
    ["kind=live,replay", [...live, ...replays]],
    ["kind=live", live],
    ["kind=replay", replays],
    ["kind=test", tests],
    ["kind=live,test", [...live, ...tests]],
    ["kind=test,replay", [...tests, ...replays]],
    ["kind=live,replay,test", [...live, ...replays, ...tests]],
    ["kind=replay&routeId=outer", ["outer replay"]],
    ["kind=live&text=outer", ["outer live"]],
  ])("GET /runs?%s", async (query, expected) => {
    expect(await kindsIn(query)).toEqual(expected.toSorted());
  });

  it("a session id selects runs of every kind", async () => {
    expect(await kindsIn(`sessionId=${sessionId}`)).toEqual(tests);
    expect(await kindsIn(`sessionId=${sessionId}&kind=live`)).toEqual([]);
  });

  it("a single run has its kind, and pages are complete", async () => {
    const first = (await server.api("GET", "/runs?kind=replay&limit=2&cursor=newest")).json;
    const second = (await server.api("GET", `/runs?kind=replay&limit=2&cursor=${first.next}`)).json;
    expect([first.runs.length, second.runs.length, second.next]).toEqual([2, 1, null]);
    for (const { id, kind } of [...first.runs, ...second.runs])
      expect([kind, (await server.api("GET", `/runs/${id}`)).json.kind]).toEqual(["replay", "replay"]);
  });

  it("other values are rejected", async () => {
    for (const value of ["nope", "live,", "live;test", ""])
      expect((await server.api("GET", `/runs?kind=${value}`)).json).toEqual({ error: "kind must be a comma-separated list of live, replay, test" });
    expect((await server.api("GET", "/runs?kind=live&kind=test")).json).toEqual({ error: "kind must not be repeated" });
  });
});
