// Real folders. In /proc, the test of a function that uses Node's `recursive: true` would never end.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFolder, createFolderSync } from "./create-folder.ts";

const hasProc = existsSync("/proc/self");

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "sluice-create-folder-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each([
  ["createFolder", createFolder],
  ["createFolderSync", async (path: string, mode?: number) => createFolderSync(path, mode)],
])("%s", (_name, create) => {
  it("creates a folder with its parents, and returns the first one", async () => {
    expect(await create(join(root, "a/b/c"), 0o700)).toBe(join(root, "a"));
    expect(statSync(join(root, "a/b/c")).isDirectory()).toBe(true);
    if (process.platform !== "win32") for (const path of ["a", "a/b", "a/b/c"]) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
    expect(await create(join(root, "a/b/d"))).toBe(join(root, "a/b/d"));
  });

  it("leaves an existing folder as it is, also behind a link", async () => {
    symlinkSync(root, join(root, "link"), "junction");
    for (const path of [root, ".", join(root, "link")]) expect(await create(path)).toBe(undefined);
    expect(readdirSync(root)).toEqual(["link"]);
    expect(await create(join(root, "link/x"))).toBe(join(root, "link/x"));
  });

  it("creates the same folder twice at once", async () => {
    const created = await Promise.all(Array.from({ length: 8 }, () => create(join(root, "a/b/c"))));
    expect(created).toContain(join(root, "a"));
    expect(statSync(join(root, "a/b/c")).isDirectory()).toBe(true);
  });

  it("fails for a file, and for a folder in a file", async () => {
    const file = join(root, "file");
    writeFileSync(file, "");
    await expect(create(file)).rejects.toMatchObject({ code: "EEXIST", path: file });
    await expect(create(join(file, "x"))).rejects.toMatchObject({ code: expect.stringMatching(/^(ENOTDIR|ENOENT|EEXIST)$/), path: join(file, "x") });
  });

  it("fails for a link to nowhere", async () => {
    symlinkSync(join(root, "nowhere"), join(root, "link"), "junction");
    await expect(create(join(root, "link"))).rejects.toMatchObject({ code: "EEXIST" });
  });

  it.skipIf(!hasProc)("fails where the system denies that the parent exists (needs /proc)", async () => {
    for (const path of ["/proc/x", "/proc/x/y"])
      await expect(create(path)).rejects.toMatchObject({ code: "ENOENT", path, message: expect.stringContaining("mkdir '/proc/x'") });
  });
});
