import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { busyPortText, isFree, nextFreePort, portHolder } from "./busy-port.ts";

let server: Server;
let port: number;
beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => void server.close());

it("reports the process that holds the port, if the system provides it", () => {
  const holder = process.platform === "linux" ? String.raw` by process ${process.pid} \(.+\)` : "";
  expect(busyPortText(port)).toMatch(new RegExp(`^port ${port} is in use${holder}$`));
  expect(portHolder(port, "/no-such-folder")).toBeUndefined();
});

it("finds the next free port", async () => {
  const next = await nextFreePort(port, "127.0.0.1");
  expect([await isFree(port, "127.0.0.1"), next > port]).toEqual([false, true]);
  expect(await nextFreePort(port, "127.0.0.1", [next])).toBeGreaterThan(next);
  const neighbor = createServer().listen(next, "127.0.0.1");
  await once(neighbor, "listening");
  expect(await nextFreePort(port, "127.0.0.1")).toBeGreaterThan(next);
  neighbor.close();
});
