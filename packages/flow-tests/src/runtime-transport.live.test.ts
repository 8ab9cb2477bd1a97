import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { httpTransport } from "./runtime-transport.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

it("returns the complete log events and omits a partially received one", async () => {
  const line = JSON.stringify({ level: "INFO", message: "one" });
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`: connected\n\nid: 1\nevent: log\ndata: ${line}\n\nid: 2\nevent: log\ndata: {"level":"IN`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const log = await httpTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "t").followLog("ts_1");
  expect(await log.lines((lines) => lines.length > 0)).toEqual([{ level: "INFO", message: "one" }]);
  log.close();
});
