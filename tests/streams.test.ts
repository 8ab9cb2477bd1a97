// Live event streams: framing, resume, filters, limits.
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heldPartner } from "./held-partner.ts";
import { call, directFlow, eventually, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;

const hook =
  "- route:\n    id: live\n    from:\n      uri: webhook\n      steps:\n        - log: {id: say, message: 'got ${body}'}\n        - delay: {id: wait, constant: 1}\n        - setBody: {id: done, constant: fine}\n";

beforeAll(async () => {
  server = await startTestServer({
    env: { SERVICE_MAX_STREAM_CLIENTS: "4" },
    limits: { streamClientEvents: 50, streamHeartbeatMs: 300, streamEvents: 200 },
  });
  await server.putFlow("live", hook);
  await server.putFlow("other", replyFlow("other", "x"));
  await server.putFlow("chatty", "- route:\n    id: chatty\n    from:\n      uri: webhook\n      steps:\n        - log: '${body}'\n");
});
afterAll(() => server.end());

interface Frame {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: any;
}

class Client {
  text = "";
  status = 0;
  headers = new Headers();
  closed = false;
  readonly #abort = new AbortController();

  static async open(path: string, headers: Readonly<Record<string, string>> = {}, target = server): Promise<Client> {
    const client = new Client();
    const response = await fetch(`${target.baseUrl}/_api${path}`, { headers: { authorization: `Bearer ${token}`, ...headers }, signal: client.#abort.signal });
    client.status = response.status;
    client.headers = response.headers;
    void (async () => {
      const decoder = new TextDecoder();
      try {
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) client.text += decoder.decode(chunk, { stream: true });
      } catch {
        // The test closed it.
      }
      client.closed = true;
    })();
    if (response.status === 200) await eventually(() => client.text.includes("\n\n"));
    return client;
  }

  get frames(): Frame[] {
    return this.text
      .split("\n\n")
      .slice(0, -1)
      .filter((block) => block.includes("data:"))
      .map((block) => {
        const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
        return { id: field("id"), event: field("event") ?? "", data: JSON.parse(field("data") as string) };
      });
  }

  types(): string[] {
    return this.frames.map(({ data }) => data.type);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await eventually(() => this.closed);
  }
}

const fire = (body = "x"): ReturnType<typeof call> => call(server.baseUrl, "POST", "/api/live", body);

describe("the trace stream", () => {
  it("starts immediately as an unbuffered event stream", async () => {
    const client = await Client.open("/trace/stream?routeId=live");
    expect(client.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(client.headers.get("cache-control")).toBe("no-store");
    expect(client.headers.get("x-accel-buffering")).toBe("no");
    expect(client.text).toMatch(/^retry: 2000\n: connected boot=[0-9a-f]{6} oldest=[0-9a-f]{6}\.\d+ last=[0-9a-f]{6}\.\d+ filters=routeId:live\n\n/);
    await eventually(() => client.text.includes("\n: heartbeat\n\n"));
    await client.close();
  });

  it("reports runs and steps as they happen", async () => {
    const partner = await heldPartner();
    await server.putFlow("held", hook.replaceAll("live", "held").replace("delay: {id: wait, constant: 1}", `to: {id: wait, uri: "${partner.url}"}`));
    const client = await Client.open("/trace/stream?routeId=held");
    const reply = call(server.baseUrl, "POST", "/api/held", '{"id":1}');
    await eventually(() => client.frames.some(({ data }) => data.type === "step.started" && data.stepId === "wait"));
    expect(client.frames.some(({ data }) => data.type === "step.completed" && data.stepId === "wait")).toBe(false);
    await eventually(() => partner.waiting() === 1);
    partner.respond();
    await reply;
    await eventually(() => client.types().includes("run.completed"));
    expect(client.types()).toEqual([
      "run.started",
      "step.started",
      "step.completed",
      "step.started",
      "step.completed",
      "step.started",
      "step.completed",
      "run.completed",
    ]);
    const completed = client.frames.find(({ data }) => data.type === "step.completed" && data.stepId === "say") as Frame;
    expect(completed.event).toBe("trace");
    expect(completed.id).toBe(completed.data.id);
    expect(completed.data).toMatchObject({
      flowId: "held",
      routeId: "held",
      runId: expect.stringMatching(/^run_/),
      kind: "log",
      attempt: 1,
      mocked: false,
      error: null,
      sessionId: null,
      message: { body: '{"id":1}', bodyType: "bytes", size: 8, truncated: false },
    });
    const numbers = client.frames.map(({ id }) => Number((id as string).split(".")[1]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    await client.close();
    partner.close();
  });

  it("filters by route, type, step, text and sample; body=none omits bodies", async () => {
    const [byRoute, byType, byStep, sampled] = [
      await Client.open("/trace/stream?routeId=other"),
      await Client.open("/trace/stream?type=run.*"),
      await Client.open("/trace/stream?stepId=say&body=none&grep=COMPLETED"),
      await Client.open("/trace/stream?type=run.*&sample=0"),
    ];
    await fire("needle");
    await call(server.baseUrl, "POST", "/api/other", "x");
    await eventually(() => byRoute.types().includes("run.completed") && byStep.frames.length > 0 && byType.types().length >= 4);
    expect(new Set(byRoute.frames.map(({ data }) => data.routeId))).toEqual(new Set(["other"]));
    expect(new Set(byType.types())).toEqual(new Set(["run.started", "run.completed"]));
    expect(byStep.types()).toEqual(["step.completed"]);
    expect(byStep.frames[0]?.data.message).toMatchObject({ body: null, size: 6, truncated: true });
    expect(sampled.frames).toEqual([]);
    for (const client of [byRoute, byType, byStep, sampled]) await client.close();
    expect((await server.api("GET", "/trace/stream?body=all")).json).toEqual({ error: "body must be one of none, preview, full" });
    for (const types of ["klingon", "step.completed,klingon", "*"])
      expect(await server.api("GET", `/trace/stream?type=${types}`)).toMatchObject({
        status: 400,
        json: { error: expect.stringMatching(/^type must be a comma-separated list of run\.started, .*, step\.retrying, .*, run\.\*, step\.\*, /) },
      });
    expect((await server.api("GET", "/logs/stream?level=loud")).json).toEqual({ error: "level must be one of TRACE, DEBUG, INFO, WARN, ERROR" });
  });

  it("replay=n sends the last n events first, replay=0 none", async () => {
    const liveClient = await Client.open("/trace/stream?routeId=other");
    await call(server.baseUrl, "POST", "/api/other", "x");
    await eventually(() => liveClient.types().includes("run.completed"));
    const [withoutReplay, withReplay] = [await Client.open("/trace/stream?routeId=other&replay=0"), await Client.open("/trace/stream?routeId=other&replay=2")];
    await call(server.baseUrl, "POST", "/api/other", "x");
    await eventually(
      () => withoutReplay.types().includes("run.completed") && [liveClient, withReplay].every((client) => client.types().lastIndexOf("run.completed") > 4),
    );
    expect([withoutReplay.frames.length, withReplay.frames.length]).toEqual([liveClient.frames.length / 2, liveClient.frames.length / 2 + 2]);
    for (const client of [liveClient, withoutReplay, withReplay]) await client.close();
  });

  it("needs the token, and responds with JSON without it", async () => {
    for (const path of ["/_api/trace/stream", "/_api/logs/stream", `/_api/trace/stream?token=${token}`]) {
      const reply = await call(server.baseUrl, "GET", path);
      expect([reply.status, reply.json]).toEqual([401, { error: "unauthorized" }]);
    }
  });

  it("a reconnecting client continues without loss or repetition", async () => {
    const first = await Client.open("/trace/stream?type=run.completed");
    await fire();
    await eventually(() => first.frames.length === 1);
    const lastId = first.frames[0]?.id as string;
    await first.close();
    await fire();
    await fire();
    const second = await Client.open("/trace/stream?type=run.completed", { "last-event-id": lastId });
    await eventually(() => second.frames.length === 2);
    await fire();
    await eventually(() => second.frames.length === 3);
    expect(new Set(second.frames.map(({ data }) => data.runId)).size).toBe(3);
    expect(second.frames.every(({ event }) => event === "trace")).toBe(true);
    await second.close();
    const replayed = await Client.open("/trace/stream?type=run.completed&replay=2");
    await eventually(() => replayed.frames.length === 2);
    await replayed.close();
  });

  it("the first client receives the last log lines", async () => {
    const fresh = await startTestServer();
    try {
      const yaml = '- route:\n    id: talks\n    from:\n      uri: webhook\n      steps:\n        - log: {id: say, message: "said ${body}"}\n';
      await fresh.putFlow("talks", yaml);
      for (let count = 1; count <= 30; count++) await call(fresh.baseUrl, "POST", "/api/talks", String(count));
      const read = async (query: string, events: number): Promise<any[]> => {
        const stop = new AbortController();
        const reply = await fetch(`${fresh.baseUrl}/_api/logs/stream?${query}`, { headers: { authorization: `Bearer ${token}` }, signal: stop.signal });
        const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
        let text = "";
        while (text.split("\ndata: ").length <= events) text += Buffer.from((await reader.read()).value as Uint8Array).toString();
        stop.abort();
        return text
          .split("\n")
          .filter((line) => line.startsWith("data: "))
          .map((line) => JSON.parse(line.slice(6)));
      };
      const last = await read("routeId=talks&replay=5", 5);
      expect(last.map(({ message }) => message)).toEqual(["said 26", "said 27", "said 28", "said 29", "said 30"]);
      expect(last[0]).toMatchObject({ level: "INFO", logger: "talks", flowId: "talks", routeId: "talks", stepId: "say", fields: {} });
      expect(Object.keys(last[0])).toEqual([
        "id",
        "at",
        "level",
        "logger",
        "message",
        "flowId",
        "routeId",
        "stepId",
        "runId",
        "exchangeId",
        "traceId",
        "fields",
      ]);
      expect(last[0].at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      // They are part of the stream now: another client gets the same events, and a reconnecting client continues after them.
      expect(await read("routeId=talks&replay=5", 5)).toEqual(last);
      await call(fresh.baseUrl, "POST", "/api/talks", "31");
      expect((await read(`routeId=talks&since=${last[2].id}`, 3)).map(({ message }) => message)).toEqual(["said 29", "said 30", "said 31"]);
    } finally {
      await fresh.end();
    }
  });

  it("a client whose last event is too old or of another process first gets a gap event", async () => {
    const foreign = await Client.open("/trace/stream", { "last-event-id": "abcdef.7" });
    await eventually(() => foreign.frames.length > 0);
    expect(foreign.frames[0]).toMatchObject({ event: "gap", data: { reason: "restart" } });
    const boot = /boot=(\w+)/.exec(foreign.text)?.[1] as string;
    for (let index = 0; index < 30; index++) await call(server.baseUrl, "POST", "/api/other", "x");
    await foreign.close();
    for (let index = 0; index < 30; index++) await call(server.baseUrl, "POST", "/api/other", "x");
    const lagging = await Client.open("/trace/stream", { "last-event-id": `${boot}.0` });
    await eventually(() => lagging.frames.length > 1);
    expect(lagging.frames[0]).toMatchObject({ event: "gap", data: { reason: "slow-client" } });
    const oldest = Number((lagging.frames[1] as Frame).id?.split(".")[1]);
    expect(lagging.frames[0]?.data.dropped).toBe(oldest - 1);
    await lagging.close();
    expect((await server.api("GET", "/trace/stream?since=nonsense")).json).toEqual({ error: "since must be the id of an event" });
  });

  it("reports deployed and removed flows and routes", async () => {
    const client = await Client.open("/trace/stream?flowId=passing");
    await server.putFlow("passing", replyFlow("passing", "x"));
    await server.api("DELETE", "/flows/passing");
    await eventually(() => client.types().includes("flow.removed"));
    expect(client.types()).toEqual(expect.arrayContaining(["route.started", "flow.deployed", "route.stopped", "flow.removed"]));
    await client.close();
  });

  it("counts the attempts of a retried step, and hides secrets in its address", async () => {
    await server.putFlow(
      "again",
      "- route:\n    id: again\n    errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 2, redeliveryDelay: 1}}}\n" +
        "    from:\n      uri: webhook\n      steps:\n        - throwException: {id: boom, exceptionType: java.lang.IllegalStateException, message: no}\n",
    );
    const client = await Client.open("/trace/stream?routeId=again");
    await call(server.baseUrl, "POST", "/api/again?access_token=S3CR3T-1&x=1", "x");
    await eventually(() => client.types().includes("run.failed"));
    const attempts = (type: string): number[] => client.frames.filter(({ data }) => data.type === type).map(({ data }) => data.attempt);
    expect([attempts("step.failed"), attempts("step.retrying")]).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
    expect(client.frames[0]?.data.message.headers.CamelHttpQuery).toBe("access_token=***&x=1");
    expect(client.text).not.toContain("S3CR3T-1");
    await client.close();
  });

  it("marks mocked steps", async () => {
    await server.putFlow("mockable", directFlow("mockable", "setBody: {id: one, constant: a}", "setBody: {id: two, constant: b}"));
    const { sessionId } = (await server.api("POST", "/test/session", { mocks: [{ match: { stepId: "one" }, respond: { body: "m" } }] })).json;
    const client = await Client.open(`/trace/stream?sessionId=${sessionId}&type=step.completed`);
    await server.api("POST", "/test/invoke", { sessionId, trigger: "direct:mockable" });
    await eventually(() => client.frames.length === 2);
    expect(client.frames.map(({ data }) => [data.stepId, data.mocked, data.message.body])).toEqual([
      ["one", true, "m"],
      ["two", false, "b"],
    ]);
    await client.close();
    await server.api("DELETE", `/test/session/${sessionId}`);
  });

  it("masks secret headers", async () => {
    const client = await Client.open("/trace/stream?routeId=live&body=full");
    await fetch(`${server.baseUrl}/api/live`, {
      method: "POST",
      body: "x",
      headers: { authorization: "Basic S3CR3T-a", cookie: "S3CR3T-b", "x-api-key": "S3CR3T-c", "x-auth-token": "S3CR3T-d", "x-signature": "S3CR3T-e" },
    });
    await eventually(() => client.types().includes("run.completed"));
    expect(client.text).toContain('"***"');
    expect(client.text).not.toContain("S3CR3T");
    await client.close();
  });
});

describe("the log stream", () => {
  it("contains the log step's records", async () => {
    const client = await Client.open("/logs/stream?routeId=live");
    const reply = fire("hello");
    await eventually(() => client.frames.length > 0);
    const frame = client.frames[0] as Frame;
    expect(frame.event).toBe("log");
    expect(frame.data).toMatchObject({
      id: frame.id,
      level: "INFO",
      message: "got hello",
      flowId: "live",
      routeId: "live",
      stepId: "say",
      runId: expect.stringMatching(/^run_/),
      fields: {},
    });
    await reply;
    await client.close();
  });

  it("content cannot forge frames", async () => {
    const client = await Client.open("/logs/stream?routeId=chatty");
    await call(server.baseUrl, "POST", "/api/chatty", 'a\n\nevent: log\ndata: {"forged":true}\n\nid: 1\r\n\u2028x');
    await eventually(() => client.frames.length > 0);
    expect(client.frames.some(({ data }) => data.forged === true)).toBe(false);
    expect(client.frames[0]?.data.message).toBe('a\n\nevent: log\ndata: {"forged":true}\n\nid: 1\r\n\u2028x');
    expect(client.frames.length).toBe(1);
    await client.close();
  });
});

describe("limits", () => {
  it("one client too many is 503, the others continue", async () => {
    const clients: Client[] = [];
    for (let index = 0; index < 4; index++) clients.push(await Client.open("/logs/stream"));
    const refused = await server.api("GET", "/trace/stream");
    expect([refused.status, refused.json]).toEqual([
      503,
      { error: "at most 4 clients can use the event streams: close one, or raise SERVICE_MAX_STREAM_CLIENTS" },
    ]);
    await fire();
    await eventually(() => clients.every(({ frames }) => frames.length > 0));
    for (const client of clients) await client.close();
    const reopened = await Client.open("/trace/stream");
    expect(reopened.status).toBe(200);
    await reopened.close();
  });

  it("a client that does not read loses the oldest events, gets the number of lost events, and does not affect others", async () => {
    const stalled = await new Promise<Socket>((resolve) => {
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write(`GET /_api/logs/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
        socket.once("data", () => {
          socket.pause();
          resolve(socket);
        });
      });
    });
    const healthy = await Client.open("/logs/stream");
    const line = "y".repeat(60_000);
    for (let index = 0; index < 150; index++) await call(server.baseUrl, "POST", "/api/chatty", `${index} ${line}`);
    await eventually(() => healthy.frames.length === 150);
    let text = "";
    stalled.on("data", (chunk) => (text += chunk.toString("latin1")));
    stalled.resume();
    await eventually(() => text.includes("event: gap"));
    expect(Number(/"dropped":(\d+)/.exec(text)?.[1])).toBeGreaterThan(0);
    stalled.destroy();
    await healthy.close();
  });

  it("on shutdown, a stream sends a last event and ends", async () => {
    const other = await startTestServer();
    const client = await Client.open("/trace/stream", {}, other);
    await other.stop();
    await eventually(() => client.closed);
    expect(client.frames.at(-1)).toMatchObject({ event: "trace", data: { type: "stream.closed", reason: "shutdown" } });
    await other.end();
  });
});
