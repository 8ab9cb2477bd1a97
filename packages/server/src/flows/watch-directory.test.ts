import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, watch as watchFile, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { watchDirectories } from "./watch-directory.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  closers.splice(0).forEach((close) => close());
  vi.useRealTimers();
});

function startWatching(watch?: typeof watchFile): { readonly directory: string; checks(): number; readonly lines: readonly string[] } {
  const directory = mkdtempSync(join(tmpdir(), "watch-directory-"));
  const lines: string[] = [];
  let checks = 0;
  const stop = watchDirectories({
    directories: [directory, directory],
    log: { write: (level: string, _logger: string, text: string) => void lines.push(`${level} ${text}`) } as never,
    logger: "test",
    noun: "flows",
    checkForChanges: async () => void checks++,
    ...(watch === undefined ? {} : { watch }),
  });
  closers.push(stop, () => rmSync(directory, { recursive: true, force: true }));
  return { directory, checks: () => checks, lines };
}

const outOfWatchers = (() => {
  throw Object.assign(new Error("ENOSPC: System limit for number of file watchers reached"), { code: "ENOSPC" });
}) as unknown as typeof watchFile;
const failLater = (() => {
  const watcher = Object.assign(new EventEmitter(), { close: () => {} });
  queueMicrotask(() => watcher.emit("error", new Error("EMFILE")));
  return watcher;
}) as unknown as typeof watchFile;

describe("a watched directory", () => {
  it("is checked again after a change", async () => {
    const { directory, checks, lines } = startWatching();
    await expect.poll(checks).toBe(1);
    writeFileSync(join(directory, "a.yaml"), "");
    await expect.poll(checks).toBeGreaterThan(1);
    expect(lines).toEqual([]);
  });

  it.each([
    ["is out of file watchers", outOfWatchers],
    ["reports an error while watching", failLater],
  ])("is polled every two seconds when the system %s", async (_name, watch) => {
    vi.useFakeTimers();
    const { checks, lines } = startWatching(watch);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(checks()).toBe(1);
    await vi.advanceTimersByTimeAsync(4_001);
    expect(checks()).toBe(4);
    expect(lines).toEqual(["WARN The system does not report changes to flows: checking every 2 seconds"]);
  });
});
