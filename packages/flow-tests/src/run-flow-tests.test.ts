import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { readFlowTests } from "./flow-test-file.ts";
import { runFlowTests } from "./run-flow-tests.ts";
import { httpTransport, type RuntimeTransport, type TransportReply } from "./runtime-transport.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const reply = (status: number, value: unknown): TransportReply => ({ status, headers: { "x-run-id": "run_1" }, text: JSON.stringify(value) });

/** A fake runtime in which every call succeeds, except for those in `overrides`. */
function runtime(
  overrides: Partial<Record<string, () => TransportReply | Promise<TransportReply>>>,
): RuntimeTransport & { readonly requests: [string, unknown][] } {
  const requests: [string, unknown][] = [];
  const replies: Record<string, TransportReply> = {
    "POST /test/session": reply(201, { sessionId: "ts_1" }),
    "GET /test/session/ts_1": reply(200, { recordedCalls: [], assertions: [{ ok: true, message: "fine" }] }),
    webhook: reply(200, "ok"),
  };
  const replyTo = async (call: string): Promise<TransportReply> =>
    overrides[call]?.() ?? replies[call] ?? reply(200, { runs: [{ id: "run_1", status: "completed", steps: [] }] });
  return {
    requests,
    api(method, path, body) {
      requests.push([`${method} ${path}`, body]);
      return replyTo(`${method} ${path}`);
    },
    webhook: () => replyTo("webhook"),
    followLog: () => Promise.resolve({ lines: () => Promise.resolve([]), close: () => undefined }),
  };
}

async function run(transport: RuntimeTransport, test: string) {
  return (await runFlowTests(transport, readFlowTests(`flow: a.yaml\ntests:\n  - ${test}\n`)))[0];
}

const calling = "{name: t, timeoutMs: 100, when: {webhook: a}, then: [{status: completed}, {mockCalled: erp}]}";

describe("a flow test", () => {
  it("passes when everything is as expected; its session lasts longer than its timeouts, but at most an hour", async () => {
    const transport = runtime({});
    expect((await run(transport, calling))?.failures).toEqual([]);
    expect(transport.requests[0]).toEqual(["POST /test/session", expect.objectContaining({ ttlMs: 60_200, scope: "session" })]);
    await run(transport, calling.replace("100", "9000000"));
    expect(transport.requests.findLast(([call]) => call === "POST /test/session")?.[1]).toMatchObject({ ttlMs: 3_600_000 });
  });

  it("fails when a webhook takes longer than timeoutMs", async () => {
    const hanging = runtime({ webhook: () => new Promise(() => undefined) });
    expect((await run(hanging, calling))?.failures).toEqual(["POST /api/a did not respond within 100 ms"]);
  });

  it("fails when its session expired before the mocks are read", async () => {
    const expired = runtime({ "GET /test/session/ts_1": () => reply(410, { error: "test session 'ts_1' expired" }) });
    expect((await run(expired, calling))?.failures).toEqual(["cannot read the recorded mock calls: 410 test session 'ts_1' expired"]);
  });
});

it("returns the complete log events and omits a partially received one", async () => {
  const line = JSON.stringify({ level: "INFO", message: "one" });
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`: connected\n\nid: 1\nevent: log\ndata: ${line}\n\nid: 2\nevent: log\ndata: {"level":"IN`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const log = await httpTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "t").followLog("ts_1");
  expect(await log.lines((lines) => lines.length > 0)).toEqual([{ level: "INFO", message: "one" }]);
  log.close();
});
