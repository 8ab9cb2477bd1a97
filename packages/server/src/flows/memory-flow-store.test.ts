import { describe, expect, it } from "vitest";
import { createMemoryFlowStore } from "./memory-flow-store.ts";

const change = (id: string, text: string, params = {}) => ({
  id,
  bytes: Buffer.from(text),
  hash: `hash of ${text}`,
  params,
  tests: null,
  metadata: { by: "ada" },
});

describe("flows in memory", () => {
  it("exist from commit until removal", async () => {
    const store = createMemoryFlowStore(() => 7, 2);
    const staged = await store.stage(change("b", "one", { url: { value: "x" } }));
    expect(await store.read("b")).toBeUndefined();
    expect(await staged.commit()).toEqual({ file: "b.yaml", lastModified: 7, revision: 1 });
    expect(await store.read("b")).toMatchObject({ id: "b", file: "b.yaml", hash: "hash of one", params: { url: { value: "x" } } });
    await (await store.stage(change("a", "two"))).commit();
    const files = await store.list();
    expect(files.map(({ id, hasParams, problem }) => ({ id, hasParams, problem }))).toEqual([
      { id: "a", hasParams: false, problem: undefined },
      { id: "b", hasParams: true, problem: undefined },
    ]);
    expect(Buffer.from((await store.readListed(files[1] as never))?.bytes ?? []).toString()).toBe("one");
    expect([(await store.remove("b")).found, (await store.remove("b")).found, await store.read("b")]).toEqual([true, false, undefined]);
  });

  it("are not stored when discarded, and get a new stamp when replaced", async () => {
    let now = 1;
    const store = createMemoryFlowStore(() => now++, 2);
    await (await store.stage(change("a", "one"))).discard();
    expect(await store.list()).toEqual([]);
    await (await store.stage(change("a", "one"))).commit();
    const [before] = await store.list();
    await (await store.stage(change("a", "two"))).commit();
    const [after] = await store.list();
    expect(after?.stamp).not.toBe(before?.stamp);
  });

  it("have a bounded history, which is deleted with them", async () => {
    const store = createMemoryFlowStore(() => 7, 2);
    for (const text of ["one", "two", "three"]) await (await store.stage(change("a", text))).commit();
    expect((await store.versions("a")).map(({ revision, hash, by }) => [revision, hash, by])).toEqual([
      [3, "hash of three", "ada"],
      [2, "hash of two", "ada"],
    ]);
    await store.remove("a");
    expect(await store.versions("a")).toEqual([]);
  });
});
