import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Exchange, Headers, Message, Run, FlowError } from "@sluice/engine";
import { describe, expect, it } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import { createRunHistory, type RunHistory } from "./run-history.ts";
import { runJson, type RunMetadata } from "./run-metadata.ts";

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

const runsOf = (history: RunHistory, routeId?: string): readonly RunMetadata[] => history.matching({ routeId }).map((entry) => entry.metadata());
const ids = (history: RunHistory, routeId?: string): string[] => runsOf(history, routeId).map(({ id }) => id);

describe("run history", () => {
  it("keeps the newest runs of each route", () => {
    const history = createRunHistory({ perRoute: 3, total: 100, bytes: 1e9 });
    const created = Array.from({ length: 10 }, () => begin(history, "a").run.id);
    expect(ids(history, "a")).toEqual(created.slice(-3).toReversed());
    expect(history.find(created[0] as string)).toBeUndefined();
    expect(history.find(created[9] as string)?.id).toBe(created[9]);
  });

  it("above the total limit, the busiest route loses runs", () => {
    const history = createRunHistory({ perRoute: 100, total: 20, bytes: 1e9 });
    begin(history, "quiet");
    for (let count = 0; count < 200; count++) begin(history, "busy");
    expect(history.size).toBeLessThanOrEqual(20);
    expect(ids(history, "quiet").length).toBe(1);
  });

  it("keeps only as many runs as fit into the byte limit", () => {
    const history = createRunHistory({ perRoute: 1_000, total: 1_000, bytes: 20_000 });
    for (let count = 0; count < 500; count++) finish(history, begin(history, "a", "y".repeat(1_000_000)));
    expect(history.size).toBeGreaterThan(0);
    expect(history.size).toBeLessThan(20);
  });

  it.each([
    ["text", (filler: string) => `${filler}top-secret and more`],
    ["bytes", (filler: string) => Buffer.from(`${filler}top-secret and more`)],
    ["a structure", (filler: string) => ({ text: `${filler}top-secret and more` })],
  ])("masks a secret that the preview of %s truncates", (_kind, bodyWith) => {
    const history = createRunHistory({ perRoute: 1_000, total: 1_000, bytes: 1e9 });
    const secrets = createSecretValues();
    secrets.set("flow", ["top-secret"]);
    for (let length = 980; length <= 1_024; length++) begin(history, "a", bodyWith("y".repeat(length)));
    for (const run of runsOf(history)) expect(JSON.stringify(runJson(run, secrets))).not.toContain("top-");
  });

  it("masks the part of a secret that remains when the error message is truncated", () => {
    const history = createRunHistory({ perRoute: 10, total: 10, bytes: 1e9 });
    const secrets = createSecretValues();
    secrets.set("flow", ["top-secret"]);
    const { run, exchange } = begin(history, "a");
    run.failure = new FlowError("java.lang.Exception", `${"y".repeat(1_995)}top-secret`);
    finish(history, { run, exchange });
    const [metadata] = runsOf(history);
    expect(runJson(metadata as RunMetadata, secrets)["error"]).toMatchObject({ message: `${"y".repeat(1_995)}***` });
  });

  it("a run that ends after it was evicted changes nothing", () => {
    const history = createRunHistory({ perRoute: 1, total: 10, bytes: 1e9 });
    const first = begin(history, "a");
    const second = begin(history, "a");
    finish(history, first);
    expect(ids(history)).toEqual([second.run.id]);
    finish(history, second);
    expect(runsOf(history)[0]?.status).toBe("completed");
  });

  it("references no message or error after a run has ended", () => {
    const history = createRunHistory({ perRoute: 5, total: 5, bytes: 1e9 });
    const started = begin(history, "a", { big: "body" });
    started.run.failure = new FlowError("java.io.IOException", "broke", { cause: started.exchange });
    finish(history, started);
    const record = history.find(started.run.id);
    expect(Object.values(record as object)).not.toContain(started.run);
    expect(Object.values(record as object)).not.toContain(started.run.failure);
    expect(runJson(record as never, createSecretValues())).toMatchObject({
      request: { preview: '{"big":"body"}', size: 14 },
      error: { type: "java.io.IOException", message: "broke" },
    });
  });

  it("data read from a run stays valid when the run is evicted", () => {
    const history = createRunHistory({ perRoute: 3, total: 100, bytes: 1e9 });
    const pass = (body: unknown): string => {
      const started = begin(history, "a", body);
      finish(history, started);
      return started.run.id;
    };
    const first = pass(new TextEncoder().encode("first"));
    const read = history.find(first);
    for (let count = 0; count < 20; count++) pass(count % 2 === 0 ? "text" : new TextEncoder().encode("y".repeat(count * 100)));
    expect(history.find(first)).toBeUndefined();
    expect(read).toMatchObject({ id: first, preview: "first", requestSize: 5, status: "completed" });
    expect(runsOf(history).map(({ preview, requestSize }) => [preview.length, requestSize])).toEqual([
      [1_024, 1_900],
      [4, 4],
      [1_024, 1_700],
    ]);
  });

  it("uses less than twice the memory that it counts, even with Node's buffer pool", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const history = createRunHistory({ perRoute: 2_000, total: 2_000, bytes: 1e9 });
    collect();
    const before = process.memoryUsage().arrayBuffers;
    let others = 0;
    for (let count = 0; count < 2_000; count++) {
      finish(history, begin(history, "a", new Uint8Array(100).fill(120)));
      for (let other = 0; other < 3; other++) others += Buffer.from("z".repeat(2_000)).length;
    }
    collect();
    expect([others, history.size]).toEqual([12_000_000, 2_000]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(history.bytes * 2);
  });

  it.each(["content type", "path", "body", "error"])("does not retain the large string that the %s of a run was sliced from", (part) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const history = createRunHistory({ perRoute: 1_000, total: 1_000, bytes: 1e9 });
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 1_000; count++) {
      const slice = (): string =>
        Buffer.from(`separate string ${count} ${"z".repeat(20_000)}`)
          .toString("latin1")
          .slice(0, 22);
      const trigger = { uri: "webhook", method: "POST", path: part === "path" ? slice() : "/" };
      const run = new Run(`run_${++number}`, { id: "a", flowId: "f", flowHash: "h" }, ++clock, trigger);
      const headers = Headers.of({ "Content-Type": part === "content type" ? slice() : "text/plain" });
      const exchange = new Exchange(`e${number}`, run, "InOut", new Message(part === "body" ? slice() : "x", headers));
      history.started(run, exchange);
      if (part === "error") run.failure = new FlowError("java.io.IOException", `${slice()}${"z".repeat(20_000)}`);
      finish(history, { run, exchange });
    }
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(history.bytes * 2);
    expect(runsOf(history)[0]).toMatchObject({ trigger: { uri: "webhook", method: "POST" } });
  });

  it("keeps runs with unreadable bodies, such as those set by operator functions", () => {
    const history = createRunHistory({ perRoute: 1, total: 100, bytes: 1e9 });
    class Closed {
      toString(): string {
        throw new Error("closed");
      }
    }
    const lazy = {
      id: 7,
      get rows(): never {
        throw new Error("closed");
      },
    };
    finish(history, begin(history, "a", "x"));
    const before = history.bytes;
    const previews = [new Closed(), [1, lazy, 2]].map((body) => {
      finish(history, begin(history, "a", body));
      return runsOf(history)[0]?.preview;
    });
    expect(previews).toEqual(['"[unreadable]"', '[1,"[unreadable]",2]']);
    finish(history, begin(history, "a", "x"));
    expect([history.size, history.bytes]).toEqual([1, before]);
  });

  it("does not reuse the record of a running run", () => {
    const history = createRunHistory({ perRoute: 2, total: 100, bytes: 1e9 });
    const long = begin(history, "a", "long");
    const { record, trail } = long.run;
    for (let count = 0; count < 10; count++) {
      const started = begin(history, "a", "short");
      expect(started.run.record).not.toBe(record);
      expect(started.run.trail).not.toBe(trail);
      finish(history, started);
    }
    finish(history, long);
    expect(runsOf(history).map(({ preview }) => preview)).toEqual(["short", "short"]);
  });

  it("adopts runs of other processes once, within its limits", () => {
    const from = createRunHistory({ perRoute: 10, total: 100, bytes: 1e9 });
    const started = begin(from, "a", "elsewhere");
    finish(from, started);
    const metadata = structuredClone(from.find(started.run.id)) as RunMetadata;
    const history = createRunHistory({ perRoute: 2, total: 100, bytes: 1e9 });
    for (let count = 0; count < 3; count++) finish(history, begin(history, "a", "here"));
    history.adopt(metadata);
    history.adopt(metadata);
    expect([history.size, history.find(metadata.id)?.preview]).toEqual([2, "elsewhere"]);
    for (let count = 0; count < 2; count++) finish(history, begin(history, "a", "later"));
    expect(runsOf(history).map(({ preview }) => preview)).toEqual(["later", "later"]);
  });

  it("counts its runs correctly when routes are added and evicted under the total limit", () => {
    const history = createRunHistory({ perRoute: 7, total: 30, bytes: 1e9 });
    for (let count = 0; count < 400; count++) finish(history, begin(history, `route-${count % 13}`));
    expect(history.size).toBe(history.matching({}).length);
    expect(history.size).toBeLessThanOrEqual(30);
    expect(history.size).toBeGreaterThan(20);
  });
});
