// Resource usage of a process, read from outside.
import { readdirSync, readFileSync } from "node:fs";

/** Resident memory in MiB. */
export function residentMiB(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

export const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** CPU time used so far in milliseconds: unlike wall time it does not grow while other processes run. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Samples the memory ten times a second; `peak` is the maximum so far. */
export function watchMemory(pid: number): { readonly before: number; peak(): number; stop(): void } {
  const before = residentMiB(pid);
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, residentMiB(pid))), 100);
  return { before, peak: () => peak, stop: () => clearInterval(timer) };
}
