// Arbitrary bytes on the socket of a runtime in a separate process, with flows that read their input. The listener alone is tested
// next to its code; thousands of sockets are tested in tests/faults.
import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { bodyOf, sendRaw, statuses } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heldPartner, type HeldPartner } from "./held-partner.ts";
import { residentBytes } from "./process-usage.ts";
import { call, eventually } from "./started-server.ts";
import { spawnWatched, type WatchedServer } from "./watched-server.ts";

const maxBody = 200_000;
let server: WatchedServer;
let port: number;
let partner: Server;
let held: HeldPartner;
const partnerCalls: string[] = [];

const webhook = (id: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;

beforeAll(async () => {
  partner = createServer((request, response) => {
    partnerCalls.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => response.end("partner"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => partner.once("listening", resolve));
  const { port: partnerPort } = partner.address() as AddressInfo;
  held = await heldPartner();
  server = await spawnWatched({ env: { SERVICE_MAX_BODY: String(maxBody) } });
  port = Number(new URL(server.baseUrl).port);
  const flows = {
    parse: webhook("parse", "unmarshal: {json: {}}", "setBody: {constant: parsed}"),
    echo: `- route:\n    id: echo\n    from:\n      uri: platform-http:/echo\n      steps:\n        - setHeader: {name: X-Seen, constant: "yes"}\n`,
    slow: webhook("slow", `to: "${held.url}"`, "setBody: {constant: done}"),
    names: webhook("names", "setBody: {simple: '${header.toString}|${header.constructor}|${header.__proto__}|${header.hasOwnProperty}|${header.x-own}'}"),
    repeated: webhook("repeated", "setBody: {simple: '${header.x-many}|${header.q}'}"),
    inject: webhook("inject", "setHeader: {name: X-Copied, simple: '${body}'}", "setBody: {constant: copied}"),
    forward: webhook("forward", `to: "http://127.0.0.1:${partnerPort}/fixed?bridgeEndpoint=true"`),
  };
  for (const [id, yaml] of Object.entries(flows)) {
    const put = await server.putFlow(id, yaml);
    expect([id, put.status, put.json.error]).toEqual([id, 201, undefined]);
  }
});
afterAll(async () => {
  partner.close();
  held.close();
  await server.end();
  server.clean();
});

const post = (path: string, headers: string, body = ""): string => `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;
const inflightOf = async (routeId: string): Promise<number> =>
  (await server.api("GET", "/health")).json.routes.find(({ id }: { id: string }) => id === routeId).inflight;
const totalOf = async (routeId: string): Promise<number> => (await server.api("GET", `/runs?routeId=${routeId}&limit=1`)).json.total;

describe("client errors", () => {
  it("malformed JSON is a client error, and the run is recorded as failed", async () => {
    const reply = await call(server.baseUrl, "POST", "/api/parse", '{"a":');
    expect([reply.status, Object.keys(reply.json)]).toEqual([400, ["error"]]);
    const [run] = (await server.api("GET", "/runs?routeId=parse&limit=1")).json.runs;
    expect([run.status, run.error.stepId]).toEqual(["failed", "unmarshal1"]);
    expect((await call(server.baseUrl, "POST", "/api/parse", '{"a":1}')).text).toBe("parsed");
  });

  it("any content type reaches the flow as bytes or text, never a 500", async () => {
    for (const type of ["application/json;;;", "multipart/form-data", "text/plain; charset=bogus", "/", ";", "text/plain; charset=", "x".repeat(2_000)]) {
      const reply = await call(server.baseUrl, "POST", "/echo", "some text", { "content-type": type });
      expect([type, reply.status, reply.text]).toEqual([
        type,
        expect.toSatisfy((status) => status === 200 || status === 400 || status === 415),
        expect.anything(),
      ]);
      if (reply.status === 200) expect(reply.text).toBe("some text");
    }
    const untyped = await sendRaw(port, post("/echo", "Content-Length: 4\r\n", "text"), { replies: 1 });
    expect([statuses(untyped.text), untyped.text.endsWith("text")]).toEqual([[200], true]);
  });

  it("a body over the limit is 413 before it is read, or at the limit, and starts no run", async () => {
    await server.checkInvariantsDuring(async () => {
      const before = await totalOf("echo");
      const declared = await sendRaw(port, post("/echo", `Content-Length: ${maxBody + 1}\r\n`));
      expect([statuses(declared.text), bodyOf(declared.text), declared.closed]).toEqual([[413], `{"error":"request body exceeds ${maxBody} bytes"}`, true]);
      const resident = residentBytes(server.pid);
      const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
      const chunked = await sendRaw(port, [post("/echo", "Transfer-Encoding: chunked\r\n"), chunk.repeat(200)]);
      expect(statuses(chunked.text)).toEqual([413]);
      expect(residentBytes(server.pid) - resident).toBeLessThan(30 * 1024 * 1024);
      expect(await totalOf("echo")).toBe(before);
    });
  });

  it("a caller that disconnects early starts nothing", async () => {
    await server.checkInvariantsDuring(async () => {
      const before = await totalOf("echo");
      const disconnecting = connect(port, "127.0.0.1", () => disconnecting.end(post("/echo", "Content-Length: 50\r\n", "abc")));
      await new Promise((resolve) => disconnecting.on("close", resolve).resume());
      expect(await totalOf("echo")).toBe(before);
    });
  });

  it("a small body that inflates to a huge one is 413 at the limit of inflated bytes", async () => {
    await server.checkInvariantsDuring(async () => {
      const bomb = gzipSync(Buffer.alloc(150 * 1024 * 1024));
      expect(bomb.length).toBeLessThan(maxBody);
      const resident = residentBytes(server.pid);
      const reply = await sendRaw(port, [post("/echo", `Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`), bomb]);
      expect([statuses(reply.text), bodyOf(reply.text)]).toEqual([[413], `{"error":"request body exceeds ${maxBody} bytes"}`]);
      expect(residentBytes(server.pid) - resident).toBeLessThan(40 * 1024 * 1024);
    });
  });

  it.each([
    ["a length and chunks", post("/echo", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")],
    ["two lengths", post("/echo", "Content-Length: 5\r\nContent-Length: 6\r\n", "hello!")],
    ["a space before the colon", post("/echo", "Transfer-Encoding : chunked\r\n", "0\r\n\r\n")],
    ["chunked, identity", post("/echo", "Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")],
    ["xchunked", post("/echo", "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")],
    ["a folded header", post("/echo", "X-A: b\r\n c\r\nContent-Length: 0\r\n")],
    ["bare line feeds", "POST /echo HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello"],
    ["a signed length", post("/echo", "Content-Length: +5\r\n", "hello")],
  ])("%s is 400, the connection is closed, and the following bytes are not a second request", async (_what, bytes) => {
    const before = await totalOf("echo");
    const { text, closed } = await sendRaw(port, `${bytes}POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
    expect([statuses(text), closed]).toEqual([[400], true]);
    expect(JSON.parse(bodyOf(text))).toEqual({ error: expect.any(String) });
    expect(await totalOf("echo")).toBe(before);
  });

  it("heads and addresses beyond the limits are 431 or 414", async () => {
    for (const [bytes, expected] of [
      [`GET /echo HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(17_408)}\r\n\r\n`, [431]],
      [`GET /echo HTTP/1.1\r\nHost: a\r\n${"a:b\r\n".repeat(2_000)}\r\n`, [431]],
      [`GET /${"y".repeat(9_216)} HTTP/1.1\r\nHost: a\r\n\r\n`, [414]],
      [`GET /${"y".repeat(17_408)} HTTP/1.1\r\nHost: a\r\n\r\n`, [431]],
    ] as const) {
      const { text, closed } = await sendRaw(port, bytes);
      expect([statuses(text), closed]).toEqual([expected, true]);
    }
  });

  it("other methods are 405 with Allow, unknown routes 404 without a listing", async () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const reply = await call(server.baseUrl, method, "/api/parse", method === "GET" ? undefined : "{}");
      expect([method, reply.status, reply.headers.get("allow"), Object.keys(reply.json)]).toEqual([method, 405, "OPTIONS, POST", ["error"]]);
    }
    const unknown = await call(server.baseUrl, "POST", "/api/nobody", "x");
    expect([unknown.status, unknown.json]).toEqual([404, { error: "no webhook route 'nobody'" }]);
    const elsewhere = await call(server.baseUrl, "POST", "/elsewhere", "x");
    expect([elsewhere.status, Object.keys(elsewhere.json)]).toEqual([404, ["error"]]);
    expect(elsewhere.text).not.toMatch(/parse|echo|canary/);
  });
});

describe("input is treated as data", () => {
  it("header names of prototype members are plain headers, and undefined when not sent", async () => {
    const { text } = await sendRaw(port, post("/api/names", "__proto__: evil\r\nconstructor: c\r\nhasOwnProperty: h\r\nX-Own: mine\r\nContent-Length: 0\r\n"), {
      replies: 1,
    });
    expect([statuses(text), bodyOf(text)]).toEqual([[200], "|c|evil|h|mine"]);
    const without = await sendRaw(port, post("/api/names", "Content-Length: 0\r\n"), { replies: 1 });
    expect(bodyOf(without.text)).toBe("||||");
  });

  it("repeated headers are joined and repeated query names become a list; thousands of them are read or rejected within limits", async () => {
    await server.checkInvariantsDuring(async () => {
      const { text } = await sendRaw(port, post("/api/repeated?q=1&q=2", "X-Many: a\r\nX-Many: b\r\nContent-Length: 0\r\n"), { replies: 1 });
      expect([statuses(text), bodyOf(text)]).toEqual([[200], 'a, b|["1","2"]']);
      const many = await sendRaw(port, post(`/api/repeated?${Array.from({ length: 10_000 }, (_, index) => `p${index}=1`).join("&")}`, "Content-Length: 0\r\n"));
      expect([414, 431]).toContain(statuses(many.text)[0]);
      const accepted = await sendRaw(port, post(`/api/repeated?${"q=1&".repeat(1_900)}`, "Content-Length: 0\r\n"), { replies: 1 });
      expect(statuses(accepted.text)).toEqual([200]);
    });
  });

  it("a line break copied into a response header never reaches the wire", async () => {
    await server.checkInvariantsDuring(async () => {
      for (const evil of ["a\r\nSet-Cookie: x=1", "a\nSet-Cookie: x=1", "a\rSet-Cookie: x=1", "a\0b", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"]) {
        const { text } = await sendRaw(port, post("/api/inject", `Content-Length: ${evil.length}\r\n`, evil), { replies: 1 });
        expect(statuses(text)).toHaveLength(1);
        expect(text).not.toMatch(/^Set-Cookie:/im);
      }
      const fine = await call(server.baseUrl, "POST", "/api/inject", "plain");
      expect([fine.status, fine.headers.get("x-copied")]).toEqual([200, "plain"]);
    });
  });

  it("a body that looks like internals is only data", async () => {
    const body =
      '{"files":{"f":{"filepath":"/etc/passwd"}},"headers":{"CamelHttpUri":"http://127.0.0.1:1/x","CamelHttpPath":"/other"},"exchange":{},"$ref":"#"}';
    const echoed = await call(server.baseUrl, "POST", "/echo", body, { "content-type": "application/json" });
    expect([echoed.status, echoed.text]).toEqual([200, body]);
    partnerCalls.length = 0;
    const forwarded = await call(server.baseUrl, "POST", "/api/forward", body, {
      "content-type": "application/json",
      camelhttpuri: "http://127.0.0.1:1/x",
      CamelHttpPath: "/other",
    });
    expect([forwarded.status, forwarded.text, partnerCalls]).toEqual([200, "partner", ["POST /fixed"]]);
  });

  it("every byte is returned unchanged, up to the limit", async () => {
    for (const body of [Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), randomBytes(maxBody - 1), randomBytes(maxBody)]) {
      const reply = await fetch(`${server.baseUrl}/echo`, { method: "POST", body, headers: { "content-type": "application/octet-stream" } });
      expect([reply.status, Buffer.from(await reply.arrayBuffer()).equals(body)]).toEqual([200, true]);
    }
    expect((await call(server.baseUrl, "POST", "/echo", "")).status).toBe(204);
  });
});

describe("callers that disconnect", () => {
  it("their runs end and are recorded, and nothing is written to them", async () => {
    await server.checkInvariantsDuring(async () => {
      const before = await totalOf("slow");
      for (let round = 0; round < 4; round++) {
        const sockets = Array.from({ length: 50 }, () => {
          const socket = connect(port, "127.0.0.1", () => socket.write(post("/api/slow", "Content-Length: 1\r\n", "x")));
          return socket.on("error", () => undefined);
        });
        await eventually(async () => (await inflightOf("slow")) === 50);
        for (const socket of sockets) socket.destroy();
        await eventually(() => held.waiting() === 50);
        held.respond();
        await eventually(async () => (await inflightOf("slow")) === 0);
      }
      // A run continues to its end although its caller has disconnected.
      const statusesOf = async (): Promise<string> => {
        const { runs } = (await server.api("GET", "/runs?routeId=slow&limit=1000")).json as { runs: { status: string }[] };
        return [...new Set(runs.map(({ status }) => status))].join();
      };
      await eventually(async () => (await totalOf("slow")) > before && (await statusesOf()) === "completed");
    });
  });
});

describe("slow callers", () => {
  /** Has short timeouts, which callers of other tests would exceed on a slow machine. */
  let hasty: WatchedServer;
  let port: number;
  beforeAll(async () => {
    hasty = await spawnWatched({ env: { SERVICE_BODY_TIMEOUT_MS: "5s", SERVICE_HEADERS_TIMEOUT_MS: "5s" } });
    port = Number(new URL(hasty.baseUrl).port);
    expect((await hasty.putFlow("echo", webhook("echo", "setBody: {simple: '${body}'}"))).status).toBe(201);
  });
  afterAll(async () => {
    await hasty.end();
    hasty.clean();
  });

  it("an incomplete body is 408 and starts nothing", async () => {
    await hasty.checkInvariantsDuring(async () => {
      const incomplete = await sendRaw(port, post("/api/echo", "Content-Length: 50\r\n", "abc"));
      expect([statuses(incomplete.text), incomplete.closed]).toEqual([[408], true]);
      expect((await hasty.api("GET", "/runs?routeId=echo&limit=1")).json.total).toBe(0);
    });
  });

  it("slow heads time out while others are served", async () => {
    await hasty.checkInvariantsDuring(async () => {
      const sockets = Array.from({ length: 100 }, () => connect(port, "127.0.0.1"));
      let closed = 0;
      for (const socket of sockets)
        socket
          .on("error", () => undefined)
          .on("close", () => closed++)
          .resume()
          .write("P");
      const drip = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write("O")), 200);
      await eventually(() => closed === 100).finally(() => clearInterval(drip));
    });
  });
});
