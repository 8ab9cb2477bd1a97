// The typed client against a real server, and its types against the server's declarations.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ApiError, createClient, events, follow, type ApiClient, type EventOf } from "@sluice/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settingDescriptions } from "@sluice/server";
import { clientSources } from "../scripts/client/client-sources.mjs";
import { queryParametersSource } from "../scripts/client/query-parameters-source.mjs";
import { settingsSource } from "../scripts/client/settings-source.mjs";
import { call, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let client: ApiClient;
beforeAll(async () => {
  server = await startTestServer();
  client = createClient({ baseUrl: `${server.baseUrl}/`, token });
});
afterAll(() => server.end());

const errorOf = async (work: Promise<unknown>): Promise<[number, string]> => {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ApiError);
  return [(error as ApiError).status, (error as ApiError).message];
};

describe("the client", () => {
  it("has the types that the server declares", async () => {
    const normalize = (text: string): string => text.replaceAll(/[\s;,()|]/g, "");
    const sources = clientSources((await server.api("GET", "/openapi.json")).json);
    expect(Object.keys(sources)).toEqual(["schemas.ts", "operations.ts"]);
    for (const [name, source] of Object.entries<string>(sources)) {
      const path = fileURLToPath(new URL(`../packages/client/src/${name}`, import.meta.url));
      expect(normalize(readFileSync(path, "utf8")) === normalize(source), "run `npm run client` and commit the result").toBe(true);
    }
  });

  it("has the query parameters from which the command derives its flags", async () => {
    const path = fileURLToPath(new URL("../packages/cli/src/runtime/query-parameters.ts", import.meta.url));
    const normalize = (text: string): string => text.replaceAll(/[\s,"]/g, "");
    const source = queryParametersSource((await server.api("GET", "/openapi.json")).json);
    expect(normalize(readFileSync(path, "utf8")) === normalize(source), "run `npm run client` and commit the result").toBe(true);
  });

  it("declares the same settings for the library as the server", () => {
    const path = fileURLToPath(new URL("../packages/cli/src/library/settings.ts", import.meta.url));
    const written = readFileSync(path, "utf8").replaceAll(/[\s|]/g, "");
    expect(written === settingsSource(settingDescriptions).replaceAll(/[\s|]/g, ""), "run `npm run client` and commit the result").toBe(true);
  });

  it("installs, lists, reads, validates and removes a flow", async () => {
    const installed = await client.call("PUT /flows/:id", { params: { id: "shop" }, body: { yaml: replyFlow("orders", "one") } });
    expect(installed).toMatchObject({ id: "shop", created: true, routeCount: 1 });
    expect((await client.call("GET /flows")).flows.map(({ id }) => id)).toEqual(["shop"]);
    const read = await client.call("GET /flows/:id", { params: { id: "shop" } });
    expect([read.yaml, read.hash]).toEqual([replyFlow("orders", "one"), installed.hash]);
    const dry = await client.call("PUT /flows/:id", { params: { id: "shop" }, query: { dryRun: true }, body: { yaml: replyFlow("orders", "two") } });
    expect("dryRun" in dry && dry.routes).toEqual({ added: [], removed: [], kept: ["orders"] });
    const checked = await client.call("POST /flows/validate", { query: { id: "shop" }, body: { yaml: replyFlow("orders", "x").replace("setBody", "setBdy") } });
    expect([checked.valid, checked.problems[0]?.line]).toEqual([false, 6]);
    expect(await errorOf(client.call("DELETE /flows/:id", { params: { id: "shop" }, ifMatch: "other" }))).toEqual([
      412,
      "flow 'shop' changed since hash other",
    ]);
    expect(await client.call("DELETE /flows/:id", { params: { id: "shop" } })).toMatchObject({ deleted: true, routes: ["orders"] });
  });

  it("sends text bodies unchanged and reads replies that are not JSON", async () => {
    const csv = "shop,sap\npiece,ST\n";
    const installed = await client.call("PUT /value-mappings/:id", { params: { id: "uom" }, body: csv, contentType: "text/csv" });
    expect(installed).toMatchObject({ columns: ["shop", "sap"], rowCount: 1 });
    const { status, headers, body } = await client.text("GET /value-mappings/:id", { params: { id: "uom" }, accept: "text/csv" });
    expect([status, headers.get("etag"), body.replaceAll("\r\n", "\n")]).toEqual([200, `"${installed.hash}"`, csv]);
    const asJson = await client.request("GET /value-mappings/:id", { params: { id: "uom" } });
    expect([asJson.headers.get("etag"), asJson.body.rows]).toEqual([`"${installed.hash}"`, [["piece", "ST"]]]);
    expect(await client.call("GET /metrics")).toContain("# TYPE sluice_up gauge");
  });

  it("reports error replies, a wrong token and an unreachable runtime", async () => {
    expect(await errorOf(client.call("GET /flows/:id", { params: { id: "none" } }))).toEqual([404, "flow 'none' not found"]);
    expect(await errorOf(client.call("GET /flows/:id", { params: { id: "a/../b" } }))).toEqual([
      400,
      "invalid id 'a/../b': use letters, digits, '.', '_', '-' (max 128)",
    ]);
    expect(await errorOf(client.call("GET /runs", { query: { limit: 0 } }))).toEqual([400, "limit must be an integer of 1 or more"]);
    expect(await errorOf(createClient({ baseUrl: server.baseUrl, token: "wrong" }).call("GET /flows"))).toEqual([401, "unauthorized"]);
    const [status, text] = await errorOf(createClient({ baseUrl: "http://127.0.0.1:1", token }).call("GET /health"));
    expect([status, text]).toEqual([0, "the runtime at http://127.0.0.1:1 does not respond"]);
    const clientWithOwnErrors = createClient({
      baseUrl: server.baseUrl,
      token: "wrong",
      toError: ({ status: code, message }) => new RangeError(`${code} ${message}`),
    });
    await expect(clientWithOwnErrors.call("GET /flows")).rejects.toThrow(new RangeError("401 unauthorized"));
  });

  it("relays calls with the original reply", async () => {
    const refused = await client.relay("GET", "/flows/a:b");
    expect([refused.status, JSON.parse(refused.body)]).toEqual([400, { error: expect.stringContaining("invalid id 'a:b'") }]);
    const accepted = await client.relay("POST", "/flows/validate", { body: { yaml: replyFlow("orders", "one") } });
    expect([accepted.status, JSON.parse(accepted.body)]).toEqual([200, { valid: true, problems: [] }]);
  });

  it("a call times out; an aborted call throws the reason", async () => {
    const neverResponds: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)));
    expect(await errorOf(createClient({ baseUrl: server.baseUrl, token, timeoutMs: 30, fetch: neverResponds }).call("GET /flows"))).toEqual([
      0,
      `the runtime at ${server.baseUrl} did not respond within 30 ms`,
    ]);
    expect((await errorOf(createClient({ baseUrl: server.baseUrl, token, fetch: neverResponds }).call("GET /flows", { timeoutMs: 30 })))[0]).toBe(0);
    const stop = new AbortController();
    const waiting = createClient({ baseUrl: server.baseUrl, token, fetch: neverResponds }).call("GET /flows", { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("follows a stream event by event and stops on request", async () => {
    await client.call("PUT /flows/:id", { params: { id: "traced" }, body: { yaml: replyFlow("traced", "x") } });
    const stop = new AbortController();
    const seen: EventOf<"GET /trace/stream">[] = [];
    const following = (async () => {
      for await (const event of events(client, "GET /trace/stream", { query: { routeId: "traced", type: ["run.completed"] }, signal: stop.signal })) {
        seen.push(event);
        if (seen.length === 3) stop.abort();
      }
    })();
    while (seen.length < 3) await call(server.baseUrl, "POST", "/api/traced", "x");
    await following;
    expect(seen.map(({ name }) => name)).toEqual(["trace", "trace", "trace"]);
    expect(seen[0]?.data).toMatchObject({ type: "run.completed", routeId: "traced" });
    expect(seen.map(({ id }) => id)).toEqual(seen.map((event) => (event.name === "trace" ? event.data.id : "")));
  });

  it("resumes a broken stream after the last event, and throws only when the first connection fails", async () => {
    await client.call("PUT /flows/:id", { params: { id: "broken" }, body: { yaml: replyFlow("broken", "x") } });
    const stop = new AbortController();
    const lastEventIds: (string | null)[] = [];
    /** Closes the first connection after its first event. */
    const disconnectingFetch: typeof fetch = async (url, init) => {
      lastEventIds.push(new Headers(init?.headers).get("last-event-id"));
      const reply = await fetch(url, init);
      if (lastEventIds.length > 1 || reply.body === null) return reply;
      let wasSent = false;
      const disconnectAfterFirstEvent = new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          if (wasSent) return controller.error(new Error("cut off"));
          controller.enqueue(part);
          wasSent = new TextDecoder().decode(part).includes("event: trace");
        },
      });
      return new Response(reply.body.pipeThrough(disconnectAfterFirstEvent), reply);
    };
    const states: string[] = [];
    const seen: string[] = [];
    const following = (async () => {
      const reconnectingClient = createClient({ baseUrl: server.baseUrl, token, fetch: disconnectingFetch });
      for await (const event of follow(reconnectingClient, "GET /trace/stream", {
        query: { routeId: "broken", type: ["run.completed"] },
        signal: stop.signal,
        onState: (state, reason) => states.push(reason === undefined ? state : `${state}: ${reason}`),
      })) {
        if (event.name === "trace") seen.push(event.data.runId ?? "");
        if (seen.length === 6) stop.abort();
      }
    })();
    await expect.poll(() => states).toContain("open");
    const fire = (): Promise<unknown> => call(server.baseUrl, "POST", "/api/broken", "x");
    await fire();
    await expect.poll(() => seen.length).toBe(1);
    for (let count = 0; count < 5; count++) await fire();
    await following;
    expect(states).toEqual(["connecting", "open", "down: cut off", "connecting", "open"]);
    expect([lastEventIds.length, lastEventIds[0], lastEventIds[1]?.split(".")[1]]).toEqual([2, null, expect.stringMatching(/^\d+$/)]);
    // No event is duplicated or lost between connections: the runs equal those of the history, in order.
    const { runs } = await client.call("GET /runs", { query: { routeId: "broken", limit: 1_000 } });
    const history = runs.map(({ id }) => id).toReversed();
    expect(seen).toEqual(history.slice(history.indexOf(seen[0] ?? "")).slice(0, 6));
    const nowhere = createClient({ baseUrl: "http://127.0.0.1:1", token });
    await expect(follow(nowhere, "GET /logs/stream", {})[Symbol.asyncIterator]().next()).rejects.toThrow("does not respond");
  });

  it("runs a test session from opening to closing", async () => {
    const yaml = '- route:\n    id: out\n    from:\n      uri: direct:out\n      steps:\n        - to: {id: send, uri: "http://partner.invalid/"}\n';
    await client.call("PUT /flows/:id", { params: { id: "out" }, body: { yaml } });
    const { sessionId } = await client.call("POST /test/session", {
      body: { scope: "session", mocks: [{ id: "p", match: { stepId: "send" }, respond: { body: "hi" } }] },
    });
    const run = await client.call("POST /test/invoke", { body: { sessionId, trigger: "direct:out", body: "x" } });
    expect([run.status, run.body]).toEqual(["completed", "hi"]);
    const closed = await client.call("DELETE /test/session/:id", { params: { id: sessionId } });
    expect(closed.recordedCalls.map(({ mockId }) => mockId)).toEqual(["p"]);
    expect((await client.call("GET /runs", { query: { routeId: "out", kind: ["test"], limit: 1 } })).runs[0]?.status).toBe("completed");
  });
});
