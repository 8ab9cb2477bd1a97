import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.end());

const flow = (id: string, ...steps: readonly string[]): string => `- route:
    id: ${id}
    from:
      uri: webhook
      steps:
${steps.map((step) => `        - ${step}`).join("\n")}
`;

const threeSteps = (id: string, last = '"${body}!"'): string =>
  flow(
    id,
    'setHeader: {id: note, name: X-Note, simple: "${body}"}',
    'setBody: {id: double, simple: "${body}${body}"}',
    `setBody: {id: shout, simple: ${last}}`,
  );

const post = (id: string, body: string, headers: Readonly<Record<string, string>> = {}) => call(server.baseUrl, "POST", `/api/${id}`, body, headers);

async function lastRun(routeId: string): Promise<any> {
  const { runs } = (await server.api("GET", `/runs?kind=live,replay,test&routeId=${routeId}&limit=1`)).json;
  return runs[0];
}

const replay = (runId: string, body: unknown = {}) => server.api("POST", `/runs/${runId}/replay`, body);

describe("replay of a run", () => {
  it("runs it again with its original message, and reports how the outcome differs", async () => {
    await server.putFlow("same", threeSteps("same"));
    expect((await post("same", "ab", { "X-Src": "web" })).text).toBe("abab!");
    const run = await lastRun("same");
    const reply = await replay(run.id);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ replayOf: run.id, status: "completed", body: "abab!", fromStep: null, flowChanged: false, error: null });
    expect(reply.json.headers).toMatchObject({ "X-Note": "ab", "X-Src": "web" });
    expect(reply.json.diff).toEqual({
      same: true,
      status: { before: "completed", after: "completed" },
      error: { before: null, after: null },
      body: { changed: false, before: "abab!", after: "abab!" },
      headers: { added: {}, removed: {}, changed: {} },
    });
    const replayRun = await lastRun("same");
    expect(replayRun).toMatchObject({ id: reply.json.runId, replayOf: run.id, trigger: { method: "POST", path: "/api/same" } });
    expect(run.replayOf).toBeNull();
  });

  it("accepts an edited message, and uses the current flow", async () => {
    await server.putFlow("edited", threeSteps("edited"));
    await post("edited", "ab", { "X-Src": "web", "X-Old": "1" });
    const run = await lastRun("edited");
    await server.putFlow("edited", threeSteps("edited", '"${body}? ${header.X-Src} ${header.X-Old}"'));
    const { json } = await replay(run.id, { body: "cd", headers: { "x-src": "ops", "X-Old": null } });
    expect(json).toMatchObject({ body: "cdcd? ops ", flowChanged: true });
    expect(json.diff).toMatchObject({
      same: false,
      body: { changed: true, before: "abab!", after: "cdcd? ops " },
      headers: { changed: { "X-Note": { before: "ab", after: "cd" } } },
    });
    expect((await replay(run.id, { body: { id: 7 } })).json.body).toContain('{"id":7}');
    expect((await replay(run.id, { bodyBase64: "eHk=" })).json.body).toBe("xyxy? web 1");
  });

  it("masks secret members of the body and of headers", async () => {
    await server.putFlow("masked", flow("masked", 'setHeader: {name: X-Note, simple: "password=${body.password}"}'));
    await post("masked", '{"user":"ada","password":"s3cr3t-1"}', { "Content-Type": "application/json" });
    const run = await lastRun("masked");
    const { json, text } = await replay(run.id, { body: { user: "ada", password: "s3cr3t-2" } });
    expect(json.body).toEqual({ user: "ada", password: "***" });
    expect(json.diff.body).toMatchObject({ changed: true, after: { user: "ada", password: "***" } });
    expect(text).not.toContain("s3cr3t");
  });

  it("rejects a body that is not base64, or two bodies", async () => {
    await server.putFlow("bodies", threeSteps("bodies"));
    await post("bodies", "ab");
    const { id } = await lastRun("bodies");
    for (const bodyBase64 of ["a", "!!"]) expect((await replay(id, { bodyBase64 })).json).toEqual({ error: "bodyBase64 must be base64" });
    expect((await replay(id, { body: "x", bodyBase64: "eA==" })).json).toEqual({ error: "send either body or bodyBase64, not both" });
    expect((await replay(id, { fromStep: "" })).json).toEqual({ error: "fromStep must not be empty" });
    expect((await lastRun("bodies")).id).toBe(id);
  });

  it("distinguishes failures with different messages", async () => {
    const failing = (message: string): string => flow("failing", `throwException: {exceptionType: java.io.IOException, message: ${message}}`);
    await server.putFlow("failing", failing("no room"));
    await post("failing", "ab");
    const { id } = await lastRun("failing");
    expect((await replay(id)).json.diff).toMatchObject({ same: true, status: { before: "failed", after: "failed" } });
    await server.putFlow("failing", failing("no time"));
    expect((await replay(id)).json.diff).toMatchObject({ same: false, error: { before: { message: "no room" }, after: { message: "no time" } } });
  });

  it("hides secrets in failures of replays, invoked routes and replayed dead letters", async () => {
    const secret = "S3CR3T-41f7";
    const yaml = (id: string, uri: string): string =>
      `- errorHandler: {deadLetterChannel: "sluice:dead-letters"}\n${flow(id, `throwException: {exceptionType: java.io.IOException, message: "no http://u:${secret}@h/?password=${secret} {{pass}}"}`).replace("webhook", uri)}`;
    const params = { pass: { value: "S3CR3T-param", secret: true } };
    await server.putFlow("leaky", yaml("leaky", "webhook"), params);
    await server.putFlow("leaky-inside", yaml("leaky-inside", "direct:leaky-inside").replace(/^- errorHandler.*\n/, ""), params);
    await post("leaky", "x");
    const [deadLetter] = (await server.api("GET", "/dead-letters?routeId=leaky")).json.deadLetters;
    const { sessionId } = (await server.api("POST", "/test/session", {})).json;
    const replies = [
      await replay((await lastRun("leaky")).id),
      await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:leaky-inside" }),
      await replay((await lastRun("leaky-inside")).id),
      await server.api("POST", `/dead-letters/${deadLetter.id}/replay`),
    ];
    for (const [index, { text }] of replies.entries()) {
      expect([index, text]).toEqual([index, expect.stringContaining("no http://u:***@h/?password=***")]);
      expect([index, text.includes("S3CR3T")]).toEqual([index, false]);
    }
  });

  it("handles headers named like inherited object members", async () => {
    const named = (...names: readonly string[]): string => flow("named", ...names.map((name) => `setHeader: {name: ${name}, simple: "\${body}"}`));
    await server.putFlow("named", named("toString", "__proto__"));
    await post("named", "a");
    const { id } = await lastRun("named");
    expect((await replay(id, { body: "b" })).text).toContain('"__proto__":{"before":"a","after":"b"}');
    await server.putFlow("named", named("constructor"));
    const { headers } = (await replay(id)).json.diff;
    expect([Object.keys(headers.added), Object.keys(headers.removed), headers.changed]).toEqual([["constructor"], ["toString", "__proto__"], {}]);
  });

  it("begins at a step with the message captured before it", async () => {
    await server.putFlow("captured", threeSteps("captured"));
    expect((await server.api("POST", "/routes/captured/capture", { forMs: 60_000 })).json).toMatchObject({ routeId: "captured", active: true });
    await post("captured", "ab", { Authorization: "Bearer s3cret-value" });
    const run = await lastRun("captured");
    const shown = (await server.api("GET", `/runs/${run.id}`)).json;
    expect(shown.replayable).toBe(true);
    expect(shown.messages.map(({ stepId, body }: { stepId: string; body: string }) => [stepId, body])).toEqual([
      ["note", "ab"],
      ["double", "ab"],
      ["shout", "abab"],
    ]);
    expect(JSON.stringify(shown.messages)).not.toContain("s3cret-value");
    const { json } = await replay(run.id, { fromStep: "shout" });
    expect(json).toMatchObject({ body: "abab!", fromStep: "shout", diff: { same: true } });
    const replayRun = (await server.api("GET", `/runs/${json.runId}`)).json;
    expect(replayRun.steps.map(({ stepId }: { stepId: string }) => stepId)).toEqual(["shout"]);
    expect((await replay(run.id, { fromStep: "shout", body: "x" })).json.body).toBe("x!");
    expect((await server.api("DELETE", "/routes/captured/capture")).json).toMatchObject({ active: false });
    await post("captured", "cd");
    expect((await server.api("GET", `/runs/${(await lastRun("captured")).id}`)).json.messages).toBeUndefined();
  });

  it("capture ends after its time, and respects its byte limit", async () => {
    await server.putFlow("bounded", threeSteps("bounded"));
    await server.api("POST", "/routes/bounded/capture", { forMs: 600_000, maxBytes: 3_000 });
    await post("bounded", "x".repeat(1_500));
    const run = (await server.api("GET", `/runs/${(await lastRun("bounded")).id}`)).json;
    expect([run.messages.length, run.messagesTruncated]).toEqual([1, true]);
    expect((await server.api("GET", "/routes/bounded/capture")).json.active).toBe(true);
    await server.api("POST", "/routes/bounded/capture", { forMs: 300 });
    await eventually(async () => (await server.api("GET", "/routes/bounded/capture")).json.active === false);
  });

  it("shows that a failed run now succeeds", async () => {
    const failing = (message: string): string =>
      flow(
        "corrected",
        `filter: {simple: "\${body} == '${message}'", steps: [{throwException: {exceptionType: java.lang.IllegalStateException, message: broken}}]}`,
        "setBody: {constant: fine}",
      );
    await server.putFlow("corrected", failing("bad"));
    expect((await post("corrected", "bad")).status).toBe(500);
    const run = await lastRun("corrected");
    for (let count = 0; count < 150; count++) await post("corrected", "good");
    await server.putFlow("corrected", failing("other"));
    const { json } = await replay(run.id);
    expect(json).toMatchObject({
      status: "completed",
      body: "fine",
      diff: {
        status: { before: "failed", after: "completed" },
        error: { before: { type: "java.lang.IllegalStateException", message: "broken" }, after: null },
      },
    });
  });

  it("uses the mocks of a test session", async () => {
    await server.putFlow("mocked", flow("mocked", "setBody: {id: first, constant: real}", 'setBody: {id: last, simple: "${body}!"}'));
    await post("mocked", "x");
    const run = await lastRun("mocked");
    const { sessionId } = (await server.api("POST", "/test/session", { scope: "session", mocks: [{ match: { stepId: "first" }, respond: { body: "mock" } }] }))
      .json;
    const { json } = await replay(run.id, { sessionId });
    expect(json).toMatchObject({ body: "mock!", diff: { body: { before: "real!", after: "mock!" } } });
    expect((await lastRun("mocked")).sessionId).toBe(sessionId);
    await server.api("DELETE", `/test/session/${sessionId}`);
    expect((await replay(run.id, { sessionId })).status).toBe(404);
  });

  it("is rejected with the reason when the run cannot be replayed", async () => {
    await server.putFlow(
      "refused",
      flow("refused", 'choice: {id: fork, when: [{simple: "${body} == 1", steps: [{log: {id: inner, message: x}}]}]}', "log: {id: end, message: y}"),
    );
    await post("refused", "x".repeat(100_000));
    const large = await lastRun("refused");
    await post("refused", "small");
    const small = await lastRun("refused");
    const reasonOf = async (runId: string, body: unknown): Promise<unknown> => {
      const { status, json } = await replay(runId, body);
      return [status, json.error.replace(runId, "R")];
    };
    const advice = "send a body, or enable capture with POST /_api/routes/refused/capture before the next run";
    expect(await reasonOf(large.id, {})).toEqual([409, `run 'R' cannot be replayed: its input message was not stored; ${advice}`]);
    expect(await reasonOf(small.id, { fromStep: "end" })).toEqual([
      409,
      `run 'R' cannot be replayed: the message before step 'end' was not captured; ${advice}`,
    ]);
    expect(await reasonOf(small.id, { fromStep: "inner" })).toEqual([
      409,
      "run 'R' cannot be replayed: step 'inner' is nested in another step; a replay can only start at a top-level step of the route",
    ]);
    expect(await reasonOf(small.id, { fromStep: "nowhere" })).toEqual([409, "run 'R' cannot be replayed: route 'refused' has no step 'nowhere'"]);
    expect((await replay(large.id, { body: "now small" })).json).toMatchObject({ status: "completed" });
    await server.api("DELETE", "/flows/refused");
    expect(await reasonOf(small.id, {})).toEqual([409, "run 'R' cannot be replayed: route 'refused' is not deployed"]);
    expect((await replay("run_missing")).json).toEqual({ error: "run 'run_missing' not found" });
    expect((await replay(small.id, { from: "x" })).json).toEqual({ error: "unknown property 'from'" });
    expect((await server.api("POST", "/routes/missing/capture", { forMs: 10 })).status).toBe(404);
    expect((await server.api("POST", "/routes/same/capture", { forMs: 0 })).status).toBe(400);
  });
});
