import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueuedMessage, StoredMessage } from "@sluice/connectors";
import type { Clock } from "@sluice/engine";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../host/clock.ts";
import { createIds } from "../host/ulid.ts";
import { createDurableStore, type DurableStore, type StoreLimits } from "./durable-store.ts";

const folders: string[] = [];
const stores: DurableStore[] = [];
const written: string[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  written.length = 0;
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sluice-store-"));
  folders.push(path);
  return path;
}

function storeIn(directory: string, limits: Partial<StoreLimits> = {}, clock: Clock = systemClock): DurableStore {
  const store = createDurableStore({
    directory,
    clock,
    ids: createIds(() => Date.now()),
    log: { enabled: () => true, write: (level, _logger, text) => void written.push(`${level} ${text}`) },
    limits: { queueBytes: 1_000_000, maxMessageBytes: 100_000, deadLetters: 100, deadLetterBytes: 1_000_000, ...limits },
  });
  stores.push(store);
  return store;
}

const text = (body: string): StoredMessage => ({ kind: "text", body: Buffer.from(body), envelope: "{}" });
const bodyOf = (message: StoredMessage | undefined): string => Buffer.from(message?.body ?? []).toString();
const now = { key: undefined, delayMs: 0 };

/** The store after a crash: a copy of the files while it is open. */
function crashed(directory: string): string {
  const copy = folder();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

describe("the durable store", () => {
  it("creates no file before it is opened, and then a private one", async () => {
    const directory = join(folder(), "store");
    const store = storeIn(directory);
    expect([existsSync(directory), store.current, await store.openExisting()]).toEqual([false, undefined, undefined]);
    await Promise.all([store.open(), store.open()]);
    expect((await store.openExisting()) === store.current).toBe(true);
    expect([statSync(directory).mode & 0o777, statSync(join(directory, "durable.sqlite")).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("has all acknowledged messages after a crash, in order and each once", async () => {
    const directory = folder();
    const { queues } = await storeIn(directory).open();
    const put = await Promise.all(Array.from({ length: 200 }, (_, index) => queues.put("q", text(String(index)), now)));
    await queues.remove("q", put[3] as QueuedMessage);
    const restarted = (await storeIn(crashed(directory)).open()).queues;
    const page = restarted.page("q", undefined, Infinity, 1_000);
    expect(page.map(({ seq }) => bodyOf(restarted.read(seq)))).toEqual(Array.from({ length: 200 }, (_, index) => String(index)).filter((body) => body !== "3"));
    expect(restarted.depths()).toEqual([{ name: "q", depth: 199, bytes: expect.any(Number) }]);
    expect(written.at(-1)).toContain("was not closed properly last time; its integrity check passed");
  });

  it("marks messages found after a crash as suspect, and only those", async () => {
    const directory = folder();
    const { queues } = await storeIn(directory).open();
    const { seq } = await queues.put("q", text("x"), now);
    const restarted = (await storeIn(crashed(directory)).open()).queues;
    const added = await restarted.put("q", text("y"), now);
    expect([restarted.isSuspect(seq), restarted.isSuspect(added.seq), queues.isSuspect(seq)]).toEqual([true, false, false]);
    await restarted.begin(seq, 1);
    expect(restarted.page("q", undefined, Infinity, 1)[0]?.attempts).toBe(1);
  });

  it("marks nothing as suspect after a clean shutdown, and leaves no data in the write-ahead log", async () => {
    const directory = folder();
    const store = storeIn(directory);
    const { seq } = await (await store.open()).queues.put("q", text("x"), now);
    await store.close();
    const walPath = join(directory, "durable.sqlite-wal");
    expect(existsSync(walPath) ? statSync(walPath).size : 0).toBe(0);
    expect((await storeIn(directory).open()).queues.isSuspect(seq)).toBe(false);
    await expect(store.open()).rejects.toThrow("the durable store is closed");
  });

  it("writes concurrent operations in a few groups and resolves each", async () => {
    const store = await storeIn(folder()).open();
    const groupsBefore = store.groups.groups;
    await Promise.all(Array.from({ length: 300 }, (_, index) => store.queues.put("q", text(String(index)), now)));
    expect(store.groups.groups - groupsBefore).toBeLessThanOrEqual(6);
    await store.queues.put("q", text("alone"), now);
    expect(store.groups.items).toBe(301);
  });

  it("rejects a damaged file instead of losing or serving it", async () => {
    const directory = folder();
    const store = storeIn(directory);
    const { queues } = await store.open();
    for (let count = 0; count < 50; count++) await queues.put("q", text("x".repeat(4_000)), now);
    await store.close();
    const file = join(directory, "durable.sqlite");
    const bytes = readFileSync(file);
    bytes.fill(0xab, 4_096, 40_000);
    writeFileSync(file, bytes);
    await expect(storeIn(directory).open()).rejects.toThrow(/^the durable store cannot be used: [^/]*$/);
    const other = folder();
    writeFileSync(join(other, "durable.sqlite"), "this is not a database, but it is long enough to be read as one ".repeat(20));
    await expect(storeIn(other).open()).rejects.toThrow("file is not a database");
  });

  it("rejects a file of a later version", async () => {
    const directory = folder();
    const store = storeIn(directory);
    await store.open();
    await store.close();
    const file = join(directory, "durable.sqlite");
    const bytes = readFileSync(file);
    // The user version is at byte 60 of the SQLite header.
    bytes.writeUInt32BE(99, 60);
    writeFileSync(file, bytes);
    await expect(storeIn(directory).open()).rejects.toThrow("the file was written by a later version of Sluice (schema 99; this version supports 1)");
  });
});

describe("the queue table", () => {
  it("is limited in its total size over all queues, and has space again after a removal", async () => {
    const { queues } = await storeIn(folder(), { queueBytes: 3_000 }).open();
    const first = await queues.put("a", text("x".repeat(1_000)), now);
    await queues.put("b", text("x".repeat(1_000)), now);
    await expect(queues.put("c", text("x".repeat(1_000)), now)).rejects.toMatchObject({
      code: "queue-full",
      retryable: true,
      message: expect.stringContaining("queue 'c' is full"),
    });
    await queues.remove("a", first);
    await queues.put("c", text("x".repeat(1_000)), now);
    expect(queues.depths().map(({ name, depth }) => [name, depth])).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 1],
    ]);
  });

  it("pages by due time, then by insertion, and returns the next due time", async () => {
    const { queues } = await storeIn(folder()).open();
    const delayed = await queues.put("q", text("delayed"), { key: undefined, delayMs: 60_000 });
    const first = await queues.put("q", text("first"), now);
    const second = await queues.put("q", text("second"), now);
    await queues.put("other", text("other"), now);
    const ids = (messages: readonly QueuedMessage[]): readonly string[] => messages.map(({ id }) => id);
    expect(ids(queues.page("q", undefined, queues.now(), 10))).toEqual([first.id, second.id]);
    expect(ids(queues.page("q", first, queues.now(), 10))).toEqual([second.id]);
    expect(ids(queues.page("q", undefined, queues.now() + 60_000, 10))).toEqual([first.id, second.id, delayed.id]);
    expect(queues.nextDue("q", second)).toBe(delayed.due);
    expect(queues.nextDue("q", delayed)).toBeUndefined();
  });

  it("keeps the order when the wall clock is set back, and due times keep increasing", async () => {
    let wallTime = 1_800_000_000_000;
    let monotonic = 0;
    const clock: Clock = { ...systemClock, now: () => wallTime, monotonic: () => monotonic };
    const { queues } = await storeIn(folder(), {}, clock).open();
    const earlier = await queues.put("q", text("1"), now);
    wallTime -= 3_600_000;
    monotonic += 10;
    const later = await queues.put("q", text("2"), now);
    expect(later.due).toBe(earlier.due + 10);
    expect(queues.page("q", undefined, queues.now(), 10).map(({ id }) => id)).toEqual([earlier.id, later.id]);
  });

  it("moves a message to the dead letters in one transaction", async () => {
    const directory = folder();
    const { queues, deadLetters } = await storeIn(directory).open();
    const message = await queues.put("q", text("poison"), now);
    await queues.deadLetter("q", message, {
      route: { id: "r", flowId: "f", flowHash: "h" },
      runId: "run_1",
      attempts: 6,
      failure: { type: "T", message: "no", stepId: "s", routeId: "r" },
    });
    const { queues: restarted, deadLetters: restored } = await storeIn(crashed(directory)).open();
    expect([restarted.depths(), restored.count, deadLetters.count]).toEqual([[], 1, 1]);
    const [deadLetter] = restored.list({}, 10).letters;
    expect(deadLetter).toMatchObject({ routeId: "r", flowId: "f", attempts: 6, source: "queue:q", failure: { type: "T", message: "no", stepId: "s" } });
    expect(bodyOf(restored.find(deadLetter?.id ?? "")?.message)).toBe("poison");
  });
});

describe("the dead-letter table", () => {
  it("stays within its byte limit and drops the oldest", async () => {
    const { deadLetters } = await storeIn(folder(), { deadLetterBytes: 10_000 }).open();
    const metadata = {
      route: { id: "r", flowId: "f", flowHash: "h" },
      runId: undefined,
      attempts: 1,
      failure: { type: "T", message: "m", stepId: undefined, routeId: undefined },
      source: "s",
      input: undefined,
    };
    for (let count = 0; count < 20; count++) await deadLetters.add(text(`${count} ${"x".repeat(1_000)}`), metadata);
    while (deadLetters.bytes > 10_000) await systemClock.yieldToEventLoop();
    const remaining = deadLetters.list({}, 100).letters.map(({ id }) => bodyOf(deadLetters.find(id)?.message).split(" ")[0]);
    expect(remaining.length).toBeGreaterThanOrEqual(8);
    expect(remaining).toEqual(Array.from({ length: remaining.length }, (_, index) => String(19 - index)));
    expect(deadLetters.count).toBe(remaining.length);
  });
});
