import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiskVersions, type NewVersion } from "./disk-versions.ts";
import { hashOf } from "./flow-hash.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sluice-versions-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const version = (text: string, more: Partial<NewVersion> = {}): NewVersion => {
  const bytes = Buffer.from(text);
  return { bytes, hash: hashOf(bytes), at: 1_700_000_000_000, params: {}, tests: null, ...more };
};
const open = (count = 10, bytes = 1_000_000): DiskVersions => new DiskVersions(directory, { count, bytes });
const add = async (versions: DiskVersions, ...texts: readonly string[]): Promise<number> => {
  const staged = await versions.stage(
    "a",
    texts.map((text) => version(text)),
  );
  await staged.commit();
  await staged.prune();
  return staged.revision;
};

describe("versions on disk", () => {
  it("keep text, parameters, tests and metadata unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.dictionary(fc.string(), fc.string()), fc.option(fc.string()), async (text, params, tests) => {
        const versions = open();
        const expected = version(`\uFEFF# sluice version {}\n${text}`, { params: { ...params }, tests, by: "ada", comment: "a\u2028b", restoredFrom: 3 });
        const staged = await versions.stage("a", [expected]);
        await staged.commit();
        expect((await versions.list("a"))[0]).toEqual({ ...expected, revision: staged.revision });
        await versions.remove("a");
      }),
      { numRuns: 30 },
    );
  });

  it("exist only after commit, and are removed by a discard before or after the commit", async () => {
    const versions = open();
    const first = await versions.stage("a", [version("one")]);
    expect(await versions.list("a")).toEqual([]);
    await first.discard();
    const second = await versions.stage("a", [version("one"), version("two")]);
    await second.commit();
    expect((await versions.list("a")).map(({ revision }) => revision)).toEqual([2, 1]);
    await second.discard();
    expect(readdirSync(join(directory, "a"))).toEqual([]);
  });

  it("get increasing numbers, even after the oldest were removed or a file was damaged", async () => {
    const versions = open(2);
    expect([await add(versions, "one"), await add(versions, "two"), await add(versions, "three")]).toEqual([1, 2, 3]);
    writeFileSync(join(directory, "a", "3.yaml"), "nonsense");
    expect(await add(versions, "four")).toBe(4);
    expect((await versions.list("a")).map(({ revision }) => revision)).toEqual([4]);
  });

  it("are removed when they exceed the size limit, except the newest", async () => {
    await add(open(), "one", "two");
    const versions = open(10, 10);
    await add(versions, "x".repeat(100));
    expect((await versions.list("a")).map(({ revision }) => revision)).toEqual([3]);
  });

  it("leave no temporary files after a crash and the next change", async () => {
    const versions = open();
    await versions.stage("a", [version("lost")]);
    expect(readdirSync(join(directory, "a"))).toHaveLength(1);
    await add(versions, "one");
    expect(readdirSync(join(directory, "a"))).toEqual(["1.yaml"]);
    expect(readFileSync(join(directory, "a", "1.yaml"), "utf8")).toMatch(/^# sluice version \{.*\}\none$/);
  });
});
