// Starts, uses, kills and restarts each server that the machine has.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FaultyLink } from "../faulty-link.ts";
import { acceptsConnections } from "./free-port.ts";
import { serverFor, type TestServer } from "./server-for.ts";
import { findProgram, serverPrograms } from "./server-program.ts";

const cleanUps: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

/** Unlike `once`, it does not reject when the socket emits an error. */
const closeOf = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once("close", () => resolve()));

describe("a server started by a test", () => {
  for (const name of ["redis", "nats", "mosquitto", "kafka", "postgres", "mariadb"] as const)
    it(`${name} is started, killed and started again (needs ${serverPrograms[name].title})`, async ({ skip }) => {
      const server: TestServer | undefined = await serverFor(name, { own: true });
      if (server === undefined) return skip();
      cleanUps.push(() => server.end());
      const { port } = server;
      expect(await acceptsConnections(port)).toBe(true);
      await server.kill();
      expect(await acceptsConnections(port)).toBe(false);
      await server.restart();
      expect([await acceptsConnections(server.port), name === "kafka" || server.port === port]).toEqual([true, true]);
      await server.end();
      expect(await acceptsConnections(server.port)).toBe(false);
    });
});

describe("a process that ends without stopping its server", () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const)
    it(`leaves no server and no data after ${signal} (needs Redis)`, async ({ skip }) => {
      if (findProgram("redis-server") === undefined) return skip();
      const module = JSON.stringify(new URL("../../dist/servers/server-for.js", import.meta.url).href);
      const script = `const {serverFor} = await import(${module}); const {port} = await serverFor("redis", {own: true}); console.log(port); setInterval(() => {}, 1000);`;
      const folder = mkdtempSync(join(tmpdir(), "sluice-"));
      const env = { ...process.env, TMPDIR: folder };
      const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"], env });
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      const port = Number(line);
      expect([await acceptsConnections(port), readdirSync(folder).length]).toEqual([true, 1]);
      child.kill(signal);
      await expect.poll(() => acceptsConnections(port), { timeout: 5_000 }).toBe(false);
      await expect.poll(() => readdirSync(folder), { timeout: 5_000 }).toEqual([]);
      rmSync(folder, { recursive: true });
    });
});

describe("a faulty link", () => {
  it("forwards, delays and drops data, and closes and rejects connections (needs Redis)", async ({ skip }) => {
    const server = await serverFor("redis", { own: true });
    if (server === undefined) return skip();
    cleanUps.push(() => server.end());
    const link = await FaultyLink.to(server);
    cleanUps.push(() => link.close());
    const openSocket = async () => {
      const socket = connect(link.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    };
    const ping = async (socket: Awaited<ReturnType<typeof openSocket>>): Promise<string> => {
      socket.write("PING\r\n");
      return Promise.race([once(socket, "data").then(([data]) => String(data)), new Promise<string>((resolve) => setTimeout(resolve, 300, "silence"))]);
    };
    const first = await openSocket();
    expect(await ping(first)).toBe("+PONG\r\n");
    link.delay(50);
    const startTime = Date.now();
    expect([await ping(first), Date.now() - startTime >= 90]).toEqual(["+PONG\r\n", true]);
    link.delay(0);
    link.silence();
    expect(await ping(first)).toBe("silence");
    link.silence(false);
    const cut = closeOf(first);
    link.cut();
    await cut;
    const second = await openSocket();
    expect([await ping(second), link.accepted]).toEqual(["+PONG\r\n", 2]);
    const closed = closeOf(second);
    link.cutAfter(3);
    second.write("PING\r\n");
    await closed;
    await link.refuse();
    await expect(openSocket()).rejects.toThrow();
    await link.open();
    expect(await ping(await openSocket())).toBe("+PONG\r\n");
  });
});
