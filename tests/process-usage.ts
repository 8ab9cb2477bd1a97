// Resource usage of a process, read from outside.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Resident memory in bytes, including shared pages. */
export function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** Resident memory in MiB. */
export const residentMiB = (pid: number): number => residentBytes(pid) / 1024 ** 2;

/** Number of open files and sockets. */
export const openDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Number of IPv4 connections of a process that use one of these local ports. */
export function connectionsFrom(ports: ReadonlySet<number>, pid: number): number {
  const inodes = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address]) => ports.has(Number.parseInt(address?.split(":")[1] ?? "", 16)))
    .map((fields) => `socket:[${fields[9]}]`);
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
  return inodes.filter((inode) => links.includes(inode)).length;
}

/** The target of a link; undefined when the descriptor was closed. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** CPU time used so far in milliseconds: unlike wall-clock time it does not grow while other processes run. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** How long the main thread was ready to run but had no CPU. */
export const starvedMs = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;

/** Samples the memory ten times a second; `peak` is the maximum so far. */
export function watchMemory(pid: number): { readonly before: number; peak(): number; stop(): void } {
  const before = residentMiB(pid);
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, residentMiB(pid))), 100);
  return { before, peak: () => peak, stop: () => clearInterval(timer) };
}
