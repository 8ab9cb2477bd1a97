// Finds the process that uses a port, and a free port to use instead.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";

export interface PortHolder {
  readonly pid: number;
  readonly command: string;
}

/** "port 8080 is in use by process 4711 (node server.js)"; without the process if it cannot be determined. */
export function busyPortText(port: number): string {
  const holder = portHolder(port);
  return `port ${port} is in use${holder === undefined ? "" : ` by process ${holder.pid} (${holder.command})`}`;
}

/** Whether the port is free. Other errors are ignored here; the real server reports them. */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "EADDRINUSE"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The next port that is currently free and not in `excluded`; 0 if there is none among the next 100. */
export async function nextFreePort(port: number, host: string, excluded: readonly number[] = []): Promise<number> {
  for (let next = port + 1; next <= Math.min(port + 100, 65_535); next++) if (!excluded.includes(next) && (await isFree(next, host))) return next;
  return 0;
}

/** Works on Linux only, via /proc, and only for processes of this user. */
export function portHolder(port: number, proc = "/proc"): PortHolder | undefined {
  try {
    const sockets = listeningSockets(port, proc);
    if (sockets.size === 0) return undefined;
    for (const pid of readdirSync(proc))
      if (/^\d+$/.test(pid) && hasSocket(`${proc}/${pid}/fd`, sockets)) return { pid: Number(pid), command: commandOf(`${proc}/${pid}`) };
  } catch {
    // No /proc on this platform.
  }
  return undefined;
}

/** The links of descriptors to sockets that listen on the port, over IPv4 and IPv6. */
function listeningSockets(port: number, proc: string): ReadonlySet<string> {
  const listening = "0A";
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const found = new Set<string>();
  for (const table of ["tcp", "tcp6"])
    for (const line of linesOf(`${proc}/net/${table}`)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === listening && local?.endsWith(suffix) === true) found.add(`socket:[${inode}]`);
    }
  return found;
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}

function hasSocket(descriptors: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(descriptors).some((name) => {
      try {
        return sockets.has(readlinkSync(`${descriptors}/${name}`));
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

function commandOf(folder: string): string {
  const words = linesOf(`${folder}/cmdline`).join(" ").split("\0").join(" ").trim();
  const printable = words.replaceAll(/[^\x20-\x7e]/g, "?");
  return printable.length > 80 ? `${printable.slice(0, 79)}…` : printable;
}
