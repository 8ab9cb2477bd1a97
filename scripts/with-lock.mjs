// A lock between processes: concurrent test processes build and pack in the same folders.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 100;

/** Runs `work` while this process holds the lock file; waits for another process that holds it, and takes it over from one that has ended. */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  while (!hasLocked(file)) await sleep(pollMs);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function hasLocked(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (hasEnded(holderOf(file))) removeAbandoned(file);
  return false;
}

/** Only one process removes it, and looks again: another one may have removed it and taken the lock. */
function removeAbandoned(file) {
  const guard = `${file}.remove`;
  try {
    writeFileSync(guard, "", { flag: "wx" });
  } catch {
    return;
  }
  if (hasEnded(holderOf(file))) rmSync(file, { force: true });
  rmSync(guard, { force: true });
}

/** NaN while the holder is still writing its id, or when it has just removed the file. */
function holderOf(file) {
  try {
    return Number.parseInt(readFileSync(file, "utf8"), 10);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return Number.NaN;
  }
}

function hasEnded(pid) {
  if (Number.isNaN(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}
