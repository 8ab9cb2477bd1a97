// Starts, uses, kills and restarts each server that the machine has.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FakeClock } from "../fake-host.ts";
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
      await expect.poll(() => acceptsConnections(port)).toBe(false);
      await expect.poll(() => readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    });
});

describe("a shared server", () => {
  it("is the same for all tests of this process, which cannot stop it (needs Redis)", async ({ skip }) => {
    const server = await serverFor("redis");
    if (server === undefined) return skip();
    expect((await serverFor("redis"))?.port).toBe(server.port);
    await expect(server.kill()).rejects.toThrow("use {own: true}");
    await expect(server.restart()).rejects.toThrow("use {own: true}");
    await server.end();
    expect(await acceptsConnections(server.port)).toBe(true);
  });
});

describe("a faulty link", () => {
  it("forwards, delays and drops data, and closes and rejects connections", async () => {
    const echo = createServer((socket) => void socket.on("error", () => undefined).pipe(socket)).listen(0, "127.0.0.1");
    await once(echo, "listening");
    cleanUps.push(async () => void echo.close());
    const clock = new FakeClock();
    const link = await FaultyLink.to({ host: "127.0.0.1", port: (echo.address() as AddressInfo).port }, clock);
    cleanUps.push(() => link.close());
    const openSocket = async () => {
      const socket = connect(link.port, "127.0.0.1");
      let text = "";
      socket.on("error", () => undefined).on("data", (data) => (text += String(data)));
      await once(socket, "connect");
      return { socket, received: () => text };
    };
    const first = await openSocket();
    first.socket.write("one,");
    await expect.poll(first.received).toBe("one,");
    link.delay(50);
    first.socket.write("two,");
    // On the way to the server, then on the way back.
    for (let way = 0; way < 2; way++) {
      await expect.poll(() => clock.pending).toBe(1);
      expect(first.received()).toBe("one,");
      await clock.advance(50);
    }
    await expect.poll(first.received).toBe("one,two,");
    link.delay(0);
    link.silence();
    first.socket.write("lost,");
    await expect.poll(() => link.dropped).toBe("lost,".length);
    link.silence(false);
    first.socket.write("three");
    await expect.poll(first.received).toBe("one,two,three");
    const cut = closeOf(first.socket);
    link.cut();
    await cut;
    const second = await openSocket();
    second.socket.write("four");
    await expect.poll(second.received).toBe("four");
    expect(link.accepted).toBe(2);
    const closed = closeOf(second.socket);
    link.cutAfter(3);
    second.socket.write("five");
    await closed;
    await link.refuse();
    await expect(openSocket()).rejects.toThrow();
    await link.open();
    const third = await openSocket();
    third.socket.write("six");
    await expect.poll(third.received).toBe("six");
  });
});
