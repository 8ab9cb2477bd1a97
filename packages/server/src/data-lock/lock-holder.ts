// The text file that names the owner of a data directory. With a SQLite driver it is informational; without one it is the lock.
import { readFileSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { LockedError } from "./directory-lock.ts";

export interface LockHolder {
  readonly pid: number;
  /** Start time in kernel ticks; undefined if the system does not provide it. */
  readonly startedAt: string | undefined;
  /** Undefined in files of older versions. */
  readonly host: string | undefined;
  /** True when an operating system lock is held too, which then proves that the holder is alive. */
  readonly hasSystemLock: boolean;
}

const unknown = "unknown";
const systemLock = "system-lock";

export function ownRecord(hasSystemLock: boolean): string {
  return `${process.pid} ${startTimeOf(process.pid) ?? unknown} ${hostname()} ${hasSystemLock ? systemLock : "no-lock"}\n`;
}

/** Undefined when there is no valid record. */
export function readHolder(path: string): LockHolder | undefined {
  try {
    const [pid, startedAt, host, mode] = readFileSync(path, "utf8").trim().split(" ");
    const id = Number(pid);
    if (!Number.isSafeInteger(id) || id <= 0) return undefined;
    return { pid: id, startedAt: startedAt === unknown ? undefined : startedAt, host, hasSystemLock: mode === systemLock };
  } catch {
    return undefined;
  }
}

function describeHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return "another process";
  const { pid, host } = holder;
  return host === undefined || host === hostname() ? `process ${pid}` : `process ${pid} on host '${host}' (if it no longer runs, delete the file '.lock')`;
}

export function inUseError(holder: LockHolder | undefined): LockedError {
  return new LockedError(`the data directory is in use by ${describeHolder(holder)}: stop it, or choose another directory with --data-dir`);
}

/** Removes the record if this process wrote it. */
export function removeRecord(path: string, ownText: string): void {
  try {
    if (readFileSync(path, "utf8") === ownText) unlinkSync(path);
  } catch {
    // Already removed, or a disk error: the record of a process that ended is ignored.
  }
}

/** Whether the process is running. Processes of another host or container cannot be checked and count as running. */
export function isRunning({ pid, startedAt, host }: LockHolder): boolean {
  if (host !== undefined && host !== hostname()) return true;
  const start = startTimeOf(pid);
  if (start !== undefined) return startedAt === undefined || start === startedAt;
  if (process.platform === "linux") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Start time of a process in kernel ticks; undefined if there is no such process or the system does not provide it. */
function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses, which may itself contain parentheses and spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
