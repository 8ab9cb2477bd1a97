// Keeps a second process off the same data directory. The lock names its owner by process id and start time, so that the lock
// of a killed process, even one whose id was given to another, never stands in the way.
import { randomBytes } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";

export class LockedError extends Error {
  constructor(pid: number) {
    super(`the data directory is in use by process ${pid}: stop it, or give this one another directory with --data-dir`);
    this.name = "LockedError";
  }
}

/** Takes the lock or throws a LockedError; the returned function gives it back. */
export async function lockDirectory(directory: string): Promise<() => void> {
  const path = join(directory, ".lock");
  const mine = `${process.pid} ${startOf(process.pid) ?? "unknown"}\n`;
  const passing = join(directory, `.lock.${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeFile(passing, mine, { mode: 0o640 });
  } catch (error) {
    // Nothing can be written here, so nothing can be spoilt by two.
    if (["EROFS", "EACCES", "ENOSPC"].includes((error as NodeJS.ErrnoException).code ?? "")) return () => undefined;
    throw error;
  }
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        await link(passing, path);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST" || attempt === 10) throw error;
        const held = await readFile(path, "utf8").catch(() => "");
        const owner = Number.parseInt(held, 10);
        if (owner > 0 && isAlive(owner, held.trim().split(" ")[1])) throw new LockedError(owner);
        await unlink(path).catch(() => undefined);
      }
    }
  } finally {
    await unlink(passing).catch(() => undefined);
  }
  return () => {
    try {
      if (readFileSync(path, "utf8") === mine) unlinkSync(path);
    } catch {
      // Already gone: there is nothing to give back.
    }
  };
}

function isAlive(pid: number, startedAt: string | undefined): boolean {
  const start = startOf(pid);
  if (start !== undefined) return startedAt === undefined || startedAt === "unknown" || start === startedAt;
  if (process.platform === "linux") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process started, in the kernel's ticks; undefined when there is none, or the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in brackets and may hold anything, brackets and blanks included.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
