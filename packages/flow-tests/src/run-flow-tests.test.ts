import { describe, expect, it } from "vitest";
import { readFlowTests } from "./flow-test-file.ts";
import { runFlowTests } from "./run-flow-tests.ts";
import type { RuntimeTransport, TransportReply } from "./runtime-transport.ts";

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
