// The lock of the data directory, acquired and released by real processes.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lockDirectory } from "../packages/server/src/data-lock/lock-directory.ts";
import { lockByProcessId } from "../packages/server/src/data-lock/process-id-lock.ts";
import { spawnServer } from "./spawned-server.ts";
import { replyFlow } from "./started-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe("the lock of the data directory", () => {
  it("holds regardless of its owner record, and is released immediately by kill -9", async () => {
    const dataDir = temporaryFolder();
    const server = await spawnServer({ dataDir });
    try {
      expect(() => lockDirectory(dataDir)).toThrow(`the data directory is in use by process ${server.pid}: stop it`);
      // Records that a second container may find: a process id that equals its own, or one that does not exist.
      for (const record of ["1 1\n", `${process.pid} 1\n`, "4194303 1\n", ""]) {
        writeFileSync(join(dataDir, ".lock"), record);
        expect(() => lockDirectory(dataDir), record).toThrow("the data directory is in use by");
      }
    } finally {
      await server.end("SIGKILL");
    }
    const lock = lockDirectory(dataDir);
    expect([lock.isHeld, lock.warning, readFileSync(join(dataDir, ".lock"), "utf8").split(" ")[0]]).toEqual([true, undefined, String(process.pid)]);
    lock.release();
    expect(existsSync(join(dataDir, ".lock"))).toBe(false);
  });

  it("of four processes that find a stale lock, one starts", async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, ".lock"), "4194303 1\n");
    const started = await Promise.allSettled([0, 1, 2, 3].map(() => spawnServer({ dataDir })));
    const running = started.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    for (const server of running) await server.end("SIGKILL");
    expect(running).toHaveLength(1);
    for (const outcome of started) if (outcome.status === "rejected") expect(String(outcome.reason)).toContain("the data directory is in use by");
  });

  it("a second process is rejected before it touches the directory", async () => {
    const dataDir = temporaryFolder();
    const server = await spawnServer({ dataDir });
    try {
      expect((await server.putFlow("kept", replyFlow("kept", "x"))).status).toBe(201);
      // A temporary file of a change that the first process is writing.
      const temporary = join(dataDir, "routes", ".kept.yaml.0123456789abcdef.tmp");
      writeFileSync(temporary, "half");
      await expect(spawnServer({ dataDir })).rejects.toThrow(`in use by process ${server.pid}`);
      expect(existsSync(temporary)).toBe(true);
    } finally {
      await server.end("SIGKILL");
    }
  });

  it.skipIf(process.getuid?.() !== 0)("holds on a full disk, on the first start and after a restart (needs root)", () => {
    const dataDir = temporaryFolder();
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", dataDir]).status).toBe(0);
    onTestFinished(() => void spawnSync("umount", ["-l", dataDir]));
    const fill = (): void => {
      for (const size of [4_096, 1])
        try {
          for (;;) writeFileSync(join(dataDir, "ballast"), Buffer.alloc(size), { flag: "a" });
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
        }
    };
    fill();
    const first = lockDirectory(dataDir);
    expect(first.isHeld).toBe(true);
    expect(() => lockDirectory(dataDir)).toThrow("the data directory is in use by");
    first.release();
    const second = lockDirectory(dataDir);
    expect(() => lockDirectory(dataDir)).toThrow("the data directory is in use by");
    second.release();
  });
});

describe("the lock of a runtime without a SQLite driver", () => {
  it("fails while its owner runs or cannot be checked, replaces the lock of a dead owner, and warns about its limitation", () => {
    const record = join(temporaryFolder(), ".lock");
    const lock = lockByProcessId(record);
    expect([lock.isHeld, lock.warning]).toEqual([true, expect.stringContaining("locked by process id only")]);
    expect(() => lockByProcessId(record)).toThrow(`in use by process ${process.pid}:`);
    lock.release();
    writeFileSync(record, "1 1 another-host no-lock\n");
    expect(() => lockByProcessId(record)).toThrow("in use by process 1 on host 'another-host' (if it no longer runs, delete the file '.lock')");
    writeFileSync(record, "4194303 1\n");
    lockByProcessId(record).release();
    expect(existsSync(record)).toBe(false);
  });

  it("is respected by a runtime with a driver", () => {
    const directory = temporaryFolder();
    // The parent of this process runs, and its only lock is this record.
    const parent = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    const start = parent.slice(parent.lastIndexOf(")") + 2).split(" ")[19];
    writeFileSync(join(directory, ".lock"), `${process.ppid} ${start}\n`);
    expect(() => lockDirectory(directory)).toThrow(`in use by process ${process.ppid}:`);
    rmSync(join(directory, ".lock"));
    lockDirectory(directory).release();
  });
});
