import { Exchange, Headers, Message, Run, FlowError } from "@sluice/engine";
import { describe, expect, it } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import { createRunHistory, type RunHistory } from "./run-history.ts";
import { runJson } from "./run-record.ts";

let clock = 0;
let number = 0;

function begin(history: RunHistory, routeId: string, body: unknown = "x"): { run: Run; exchange: Exchange } {
  const run = new Run(`run_${String(++number).padStart(6, "0")}`, { id: routeId, flowId: "f", flowHash: "h" }, ++clock, { uri: "direct:x" });
  const exchange = new Exchange(`e${number}`, run, "InOut", new Message(body, new Headers()));
  history.started(run, exchange);
  return { run, exchange };
}

function finish(history: RunHistory, { run, exchange }: { run: Run; exchange: Exchange }): void {
  run.status = "completed";
  run.endedAt = ++clock;
  history.ended(run, exchange);
}

const ids = (history: RunHistory, routeId?: string): string[] => history.list({ routeId, limit: 1_000 }).runs.map(({ id }) => id);

describe("run history", () => {
  it("R115: keeps the newest of each route", () => {
    const history = createRunHistory({ perRoute: 3, total: 100, bytes: 1e9 });
    const made = Array.from({ length: 10 }, () => begin(history, "a").run.id);
    expect(ids(history, "a")).toEqual(made.slice(-3).toReversed());
    expect(history.find(made[0] as string)).toBeUndefined();
    expect(history.find(made[9] as string)?.id).toBe(made[9]);
  });

  it("over the total the busiest route gives way", () => {
    const history = createRunHistory({ perRoute: 100, total: 20, bytes: 1e9 });
    begin(history, "quiet");
    for (let count = 0; count < 200; count++) begin(history, "busy");
    expect(history.size).toBeLessThanOrEqual(20);
    expect(ids(history, "quiet").length).toBe(1);
  });

  it("G12: is bounded in bytes, and one huge run is still kept", () => {
    const history = createRunHistory({ perRoute: 1_000, total: 1_000, bytes: 20_000 });
    for (let count = 0; count < 500; count++) finish(history, begin(history, "a", "y".repeat(1_000_000)));
    expect(history.size).toBeGreaterThan(0);
    expect(history.size).toBeLessThan(20);
  });

  it("a run that ends after it was pushed out changes nothing", () => {
    const history = createRunHistory({ perRoute: 1, total: 10, bytes: 1e9 });
    const first = begin(history, "a");
    const second = begin(history, "a");
    finish(history, first);
    expect(ids(history)).toEqual([second.run.id]);
    finish(history, second);
    expect(history.list({ limit: 10 }).runs[0]?.status).toBe("completed");
  });

  it("holds no message or error once a run is over", () => {
    const history = createRunHistory({ perRoute: 5, total: 5, bytes: 1e9 });
    const going = begin(history, "a", { big: "body" });
    going.run.failure = new FlowError("java.io.IOException", "broke", { cause: going.exchange });
    finish(history, going);
    const record = history.find(going.run.id);
    expect(Object.values(record as object)).not.toContain(going.run);
    expect(Object.values(record as object)).not.toContain(going.run.failure);
    expect(runJson(record as never, createSecretValues())).toMatchObject({
      request: { preview: '{"big":"body"}', size: 14 },
      error: { type: "java.io.IOException", message: "broke" },
    });
  });
});
