// Partners that reset, stall, send invalid data and disconnect during a response. The affected run fails; the process and all other
// runs continue.
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDescriptors } from "./process-usage.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { call, eventually, replyFlow } from "./started-server.ts";
import { unexpectedOutput } from "./unexpected-output.ts";

/** How a partner handles a connection; each behavior has a route with this name. */
const behaviors: Readonly<Record<string, (socket: Socket) => void>> = {
  "reset-at-once": (socket) => socket.resetAndDestroy(),
  "reset-after-request": (socket) => socket.once("data", () => socket.resetAndDestroy()),
  "reset-in-head": (socket) => socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Le", () => socket.resetAndDestroy())),
  "reset-in-body": (socket) => socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf", () => socket.resetAndDestroy())),
  "end-in-body": (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")),
  "end-in-chunks": (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")),
  "broken-chunks": (socket) => socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n")),
  "two-lengths": (socket) => socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")),
  "invalid-http": (socket) => socket.once("data", () => socket.write("\0\x01\x02no http at all\r\n\r\n")),
  "bad-gzip": (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope")),
  "endless-head": (socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 200 OK\r\n".padEnd(8_000, "x")), 5);
    socket.on("close", () => clearInterval(timer));
  },
  silent: () => undefined,
};

let server: SpawnedServer;
const partners: Server[] = [];

beforeAll(async () => {
  // Idle connections of this test are closed soon, so that they do not count as leaked.
  server = await spawnServer({ env: { SERVICE_KEEP_ALIVE_MS: "2s" } });
  expect((await server.putFlow("canary", replyFlow("canary", "ok"))).status).toBe(201);
  for (const [name, behave] of Object.entries(behaviors)) {
    const partner = createServer((socket) => {
      socket.on("error", () => undefined);
      behave(socket);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => partner.once("listening", resolve));
    partners.push(partner);
    const { port } = partner.address() as AddressInfo;
    const yaml = `- route:\n    id: ${name}\n    from:\n      uri: webhook\n      steps:\n        - to: {id: call, uri: "http://127.0.0.1:${port}/x?responseTimeout=1s"}\n`;
    expect((await server.putFlow(name, yaml)).status).toBe(201);
  }
});
afterAll(async () => {
  for (const partner of partners) partner.close();
  await server.end();
  server.clean();
});

/** Runs `fault` while another webhook is called. That webhook always responds, no exception is uncaught, and all sockets are closed afterwards. */
async function isolated<T>(fault: () => Promise<T>): Promise<T> {
  const before = openDescriptors(server.pid);
  let isOver = false;
  const canary = (async () => {
    while (!isOver) expect((await call(server.baseUrl, "POST", "/api/canary", "x")).text).toBe("ok");
  })();
  const result = await fault().finally(() => (isOver = true));
  await canary;
  await eventually(() => openDescriptors(server.pid) <= before + 5);
  expect(server.output()).not.toMatch(unexpectedOutput);
  return result;
}

it.each(Object.keys(behaviors))("a partner with the behavior %s fails the run and nothing else", async (name) => {
  const replies = await isolated(() => Promise.all(Array.from({ length: 20 }, () => call(server.baseUrl, "POST", `/api/${name}`, "x"))));
  for (const reply of replies) {
    expect([reply.status, Object.keys(reply.json)]).toEqual([expect.toSatisfy((status) => status === 500 || status === 504), ["error"]]);
    expect(reply.text).not.toMatch(/ at |node:|\/packages\/|undici/);
  }
  const { runs } = (await server.api("GET", `/runs?routeId=${name}`)).json as { runs: { status: string; error: { stepId: string } }[] };
  expect(runs).toHaveLength(20);
  for (const run of runs) expect([run.status, run.error.stepId]).toEqual(["failed", "call"]);
});

it("many faulty partners at once leak no sockets", async () => {
  await isolated(async () => {
    await Promise.all(Object.keys(behaviors).flatMap((name) => Array.from({ length: 10 }, () => call(server.baseUrl, "POST", `/api/${name}`, "x"))));
    await eventually(async () => (await server.api("GET", "/runs?status=running")).json.runs.length === 0);
  });
});
