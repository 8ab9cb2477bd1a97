// The data lock at full scale: races of four processes on a stale lock, two containers on one volume, and a full disk. Needs root.
import { fork, spawnSync, type ChildProcess } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { spawnServer } from "../spawned-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const races = Number(process.env["SLUICE_RACES"] ?? 300);
const isRoot = process.getuid?.() === 0;
const canUnshare = isRoot && spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "--uts", "true"]).status === 0;

interface Reply {
  readonly isOwner: boolean;
  readonly error?: string;
}

const send = (contender: ChildProcess, message: object): Promise<Reply> =>
  new Promise((resolve) => {
    contender.once("message", (reply) => resolve(reply as Reply));
    contender.send(message);
  });

describe("exclusive ownership of a data directory", () => {
  it(`${races} races of four processes on a stale lock have one owner each`, async () => {
    const contenders = await Promise.all(
      [0, 1, 2, 3].map(async () => {
        const contender = fork(fileURLToPath(new URL("lock-contender.mjs", import.meta.url)));
        onTestFinished(() => void contender.kill("SIGKILL"));
        await new Promise((resolve) => contender.once("message", resolve));
        return contender;
      }),
    );
    const directory = temporaryFolder();
    const owners: number[] = [];
    for (let race = 0; race < races; race++) {
      // The record of a killed process and, in every other race, no lock database yet.
      if (race % 2 === 0) for (const name of [".lock.db", ".lock-gate.db"]) rmSync(join(directory, name), { force: true });
      writeFileSync(join(directory, ".lock"), "4194303 1\n");
      const replies = await Promise.all(contenders.map((contender) => send(contender, { acquire: true, directory })));
      owners.push(replies.filter(({ isOwner }) => isOwner).length);
      for (const { error } of replies) if (error !== undefined) expect(error).toContain("the data directory is in use by");
      await Promise.all(contenders.map((contender) => send(contender, { acquire: false, directory })));
    }
    expect(owners.filter((count) => count !== 1)).toEqual([]);
  }, 600_000);

  it.skipIf(!canUnshare)(
    "of two containers on one volume, both with process id 1, the second does not start until the first has exited (needs unshare)",
    async () => {
      const dataDir = temporaryFolder();
      const container = (name: string): readonly string[] => [
        "unshare",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "--uts",
        "--net",
        "sh",
        "-c",
        `hostname ${name}; exec "$@"`,
        "sh",
      ];
      const first = await spawnServer({ dataDir, under: container("first") });
      try {
        expect(first.pid, "the process id inside the container").toBe(1);
        await expect(spawnServer({ dataDir, under: container("second") })).rejects.toThrow("in use by process 1 on host 'first'");
        await expect(spawnServer({ dataDir, under: container("first") })).rejects.toThrow("in use by process 1:");
      } finally {
        first.child.kill("SIGKILL");
        await new Promise((resolve) => first.child.once("exit", resolve));
      }
      const second = await spawnServer({ dataDir, under: container("second") });
      second.child.kill("SIGKILL");
      await new Promise((resolve) => second.child.once("exit", resolve));
    },
    120_000,
  );

  it.skipIf(!isRoot)(
    "on a full disk a second process does not start, but a restart does (needs root)",
    async () => {
      const dataDir = temporaryFolder();
      expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", dataDir]).status).toBe(0);
      onTestFinished(() => void spawnSync("umount", ["-l", dataDir]));
      const first = await spawnServer({ dataDir });
      spawnSync("dd", ["if=/dev/zero", `of=${join(dataDir, "ballast")}`, "bs=1k", "count=2048"]);
      await expect(spawnServer({ dataDir })).rejects.toThrow(`in use by process ${first.pid}`);
      await first.end("SIGKILL");
      const restarted = await spawnServer({ dataDir });
      await restarted.end("SIGKILL");
    },
    120_000,
  );
});
