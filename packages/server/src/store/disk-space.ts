import { statfsSync, statSync } from "node:fs";

/** Space reserved for completing, retrying and dead-lettering messages that are already in the store. */
const reservedBytes = 512 * 1024;

/** Why new messages cannot be stored; undefined when there is enough space or when the system does not report free space. */
export function noSpaceReason(database: string): string | undefined {
  // A checkpoint of the write-ahead log may need as much space again.
  const needed = reservedBytes + sizeOf(`${database}-wal`);
  const free = freeBytes(database);
  return free < needed ? `the disk is almost full: ${free} bytes free, ${needed} needed` : undefined;
}

/** True when there is enough space to try to open the store. */
export function mayOpen(database: string): boolean {
  return freeBytes(database) >= reservedBytes;
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
