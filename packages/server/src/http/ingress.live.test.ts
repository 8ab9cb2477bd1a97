import { gzipSync } from "node:zlib";
import type { HttpReply, HttpRequest } from "@sluice/engine/spi";
import { sendRaw, statuses } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import type { AccessCheck, AccessRequest } from "./access.ts";
import { joinedHeaders } from "./joined-headers.ts";
import { startListener, text, type ListenerUnderTest, type TestOptions } from "./listener-under-test.ts";

let server: ListenerUnderTest;
afterEach(() => server.listener.drain(0));

async function serve(options?: TestOptions): Promise<void> {
  server = await startListener(options);
}

const replyWith = (word: string) => (): HttpReply => text(word);
const call = (path: string, init?: RequestInit): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`, init);
const ask = async (path: string, init?: RequestInit): Promise<[number, string]> => {
  const reply = await call(path, init);
  return [reply.status, await reply.text()];
};

test("unknown paths return 404, wrong methods 405 with Allow, and HEAD and OPTIONS no body", async () => {
  await serve();
  server.mount("/api/orders", replyWith("posted"), { methods: ["POST"] });
  server.mount("/read", replyWith("read"), { methods: ["GET"] });
  server.mount("/all", replyWith("all"));
  expect(await ask("/api/nope")).toEqual([404, `{"error":"no webhook route 'nope'"}`]);
  expect(await ask("/nope")).toEqual([404, `{"error":"no route is served at this path"}`]);
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "HEAD"]) {
    const reply = await call("/api/orders", { method });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
  }
  const options = await call("/api/orders", { method: "OPTIONS" });
  expect([options.status, options.headers.get("allow"), await options.text()]).toEqual([204, "OPTIONS, POST", ""]);
  expect((await call("/all", { method: "OPTIONS" })).headers.get("allow")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  const { text: head } = await sendRaw(server.port, "HEAD /read HTTP/1.1\r\nHost: a\r\n\r\n", { replies: 1 });
  expect(statuses(head)).toEqual([200]);
  expect(head).toContain("Content-Length: 4\r\n");
  expect(head.endsWith("\r\n\r\n")).toBe(true);
  expect(statuses((await sendRaw(server.port, "TRACE /all HTTP/1.1\r\nHost: a\r\n\r\n", { replies: 1 })).text)).toEqual([405]);
});

test("precedence does not depend on the order of mounting", async () => {
  const mounts: [string, boolean][] = [
    ["/a/b", false],
    ["/a/{x}", false],
    ["/a/{x}/c", false],
    ["/a/b/{y}", false],
    ["/a", true],
    ["/a/b", true],
  ];
  const expected: [string, string][] = [
    ["/a/b", "/a/b"],
    ["/a/z", "/a/{x}"],
    ["/a/z/c", "/a/{x}/c"],
    ["/a/b/c", "/a/b/{y}"],
    ["/a/b/c/d", "/a/b/*"],
    ["/a/z/q", "/a/*"],
    ["/a", "/a/*"],
    ["/a/", "/a/*"],
  ];
  for (const order of [mounts, mounts.toReversed(), [...mounts.slice(3), ...mounts.slice(0, 3)]]) {
    await serve();
    for (const [path, prefix] of order) server.mount(path, replyWith(prefix ? `${path}/*` : path), { prefix });
    for (const [path, answer] of expected) expect(await ask(path), path).toEqual([200, answer]);
    expect((await ask("/b"))[0]).toBe(404);
    await server.listener.drain(0);
  }
});

test("a less specific path serves the methods that the more specific one does not", async () => {
  await serve();
  server.mount("/orders/search", replyWith("search"), { methods: ["POST"] });
  server.mount("/orders/{id}", (request) => text(request.params["id"] as string), { methods: ["GET"] });
  expect(await ask("/orders/search", { method: "POST" })).toEqual([200, "search"]);
  expect(await ask("/orders/search")).toEqual([200, "search"]);
  expect((await call("/orders/7", { method: "POST" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
});

test("path parameters are decoded, percent-encoded route ids match, query strings stay raw", async () => {
  await serve();
  const echoTarget = (request: HttpRequest): HttpReply => text(JSON.stringify([request.path, { ...request.params }, request.query]));
  server.mount("/files/{name}/{version}", echoTarget);
  server.mount("/api/gr%C3%B6%C3%9Fe%20%7Bx%7D", echoTarget);
  expect(JSON.parse((await ask("/files/a%20b/__proto__?q=%20"))[1])).toEqual(["/files/a b/__proto__", { name: "a b", version: "__proto__" }, "q=%20"]);
  expect((await ask("/api/gr%c3%b6%c3%9fe%20%7bx%7d"))[0]).toBe(200);
  expect((await ask("/files/a%2fb/1"))[0]).toBe(400);
});

test("no route can be mounted at a path that matches /_api", async () => {
  await serve();
  for (const [path, prefix] of [
    ["/_api", false],
    ["/_API/x", false],
    ["/%5fapi", true],
    ["/x/../_api", false],
    ["/{any}/flows", false],
    ["/", true],
  ] as const)
    expect(() => server.mount(path, replyWith("stolen"), { prefix }), path).toThrow(/cannot be served/);
  server.mount("/_apix", replyWith("fine"));
  expect(await ask("/_apix")).toEqual([200, "fine"]);
});

test("a new mount takes over at once, and the old one serves again when the new one is removed", async () => {
  await serve();
  const endOld = server.mount("/api/r", replyWith("old"));
  const endNew = server.mount("/api/r", replyWith("new"));
  expect(await ask("/api/r")).toEqual([200, "new"]);
  endNew();
  endNew();
  expect(await ask("/api/r")).toEqual([200, "old"]);
  server.mount("/api/r", replyWith("newer"));
  endOld();
  expect(await ask("/api/r")).toEqual([200, "newer"]);
});

test("a stopped route returns 503, a removed one 404", async () => {
  const stopped = new Set(["r", "idle"]);
  await serve({ isStopped: (routeId) => stopped.has(routeId) });
  const end = server.mount("/own/{x}", replyWith("on"), { routeId: "r" });
  expect(await ask("/own/1")).toEqual([200, "on"]);
  end();
  const reply = await call("/own/1");
  expect([reply.status, reply.headers.get("retry-after"), await reply.text()]).toEqual([503, "1", `{"error":"route 'r' is stopped"}`]);
  expect((await ask("/api/idle"))[0]).toBe(503);
  stopped.clear();
  expect((await ask("/own/1"))[0]).toBe(404);
  server.mount("/own/{x}", replyWith("again"), { routeId: "r" });
  expect(await ask("/own/1")).toEqual([200, "again"]);
});

test("no request fails during 200 replacements under load", async () => {
  await serve();
  let end = server.mount("/api/r", replyWith("0"));
  let swapping = true;
  const results = new Map<number, number>();
  const load = Array.from({ length: 8 }, async () => {
    while (swapping) {
      const [status] = await ask("/api/r", { method: "POST", body: "x" });
      results.set(status, (results.get(status) ?? 0) + 1);
    }
  });
  for (let version = 1; version <= 200; version++) {
    const next = server.mount("/api/r", replyWith(String(version)));
    end();
    end = next;
    if (version % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (version % 50 === 0) expect(await ask("/api/r")).toEqual([200, String(version)]);
  }
  swapping = false;
  await Promise.all(load);
  expect([...results.keys()]).toEqual([200]);
});

test("saturation returns 503 with Retry-After, per route and in total", async () => {
  await serve({ limits: { maxConcurrent: 3, maxConcurrentPerRoute: 2 } });
  const waiting: (() => void)[] = [];
  const wait = (): Promise<HttpReply> => new Promise((resolve) => waiting.push(() => resolve(text("done"))));
  server.mount("/api/a", wait);
  server.mount("/api/b", wait);
  const held = [ask("/api/a"), ask("/api/a")];
  await expect.poll(() => waiting.length).toBe(2);
  const refused = await call("/api/a");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  held.push(ask("/api/b"));
  await expect.poll(() => waiting.length).toBe(3);
  expect((await ask("/api/b"))[0]).toBe(503);
  for (const release of waiting) release();
  expect(await Promise.all(held)).toEqual(Array.from({ length: 3 }, () => [200, "done"]));
  expect(server.ingress.active).toBe(0);
});

const policy: AccessCheck = {
  check({ rawHeaders }: AccessRequest): ReturnType<AccessCheck["check"]> {
    const key = joinedHeaders(rawHeaders, undefined)["x-key"];
    if (key === "good") return { kind: "granted", principal: { id: "shop" }, hide: ["x-key"], replyHeaders: { "X-Policy": "1" } };
    if (key === "later") return Promise.resolve({ kind: "granted", principal: { id: "later" } });
    if (key === "signed")
      return {
        kind: "needs-body",
        check: (body) =>
          Buffer.from(body).equals(signedBytes)
            ? { kind: "granted", principal: { id: "signer" } }
            : { kind: "denied", code: "unauthorized", message: "unauthorized" },
      };
    if (key === "slow") return { kind: "denied", code: "rate-limited", message: "rate limit exceeded", headers: { "Retry-After": "7" } };
    if (key === "broken") throw new Error("secret detail");
    return { kind: "denied", code: "unauthorized", message: "unauthorized", headers: { "WWW-Authenticate": "Bearer" } };
  },
  preflight: () => ({ "Access-Control-Allow-Origin": "https://shop.example" }),
};
const signedBytes = gzipSync("signed");

test("a policy is checked before the body is read, or on the raw body if it needs one, and an error in the check denies access", async () => {
  let runs = 0;
  await serve({ accessOf: (flowId) => (flowId === "guarded" ? policy : undefined) });
  const handle = (request: HttpRequest): HttpReply => {
    runs++;
    return text(JSON.stringify([request.principal, request.headers["x-key"] ?? null, String(request.body)]));
  };
  server.mount("/api/g", handle, { flowId: "guarded", methods: ["POST"] });
  server.mount("/api/open", handle, { flowId: "open" });
  const post = (key: string, body: string | Buffer = "b", more: Record<string, string> = {}): Promise<Response> =>
    call("/api/g", { method: "POST", body: new Uint8Array(Buffer.from(body)), headers: { "X-Key": key, ...more } });

  const { text: unread } = await sendRaw(server.port, "POST /api/g HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
  expect(statuses(unread)).toEqual([401]);
  expect(unread).toContain("WWW-Authenticate: Bearer\r\n");
  const slow = await post("slow");
  expect([slow.status, slow.headers.get("retry-after"), await slow.text()]).toEqual([429, "7", '{"error":"rate limit exceeded"}']);
  const broken = await post("broken");
  expect(broken.status).toBe(500);
  expect(await broken.text()).toMatch(/^\{"error":"internal error \(ref [0-9a-f]{12}\)"\}$/);
  expect((await post("signed", "forged")).status).toBe(401);
  expect(runs).toBe(0);

  const good = await post("good");
  expect([good.headers.get("x-policy"), await good.json()]).toEqual(["1", [{ id: "shop" }, null, "b"]]);
  expect(await (await post("later")).json()).toEqual([{ id: "later" }, "later", "b"]);
  expect(await (await post("signed", signedBytes, { "Content-Encoding": "gzip" })).json()).toEqual([{ id: "signer" }, "signed", "signed"]);
  expect(await (await call("/api/open")).json()).toEqual([null, null, ""]);
  expect((await call("/api/g", { method: "OPTIONS" })).headers.get("access-control-allow-origin")).toBe("https://shop.example");
  expect(server.ingress.active).toBe(0);
});

test("a request with an unknown test session returns 404", async () => {
  await serve({ sessionOf: (id) => (id === "ts_1" ? { id, skipTime: false } : undefined) });
  server.mount("/api/r", (request) => text(request.session?.id ?? "none"));
  expect(await ask("/api/r", { headers: { "X-Test-Session": "ts_1" } })).toEqual([200, "ts_1"]);
  expect(await ask("/api/r", { headers: { "X-Test-Session": "ts_2" } })).toEqual([404, `{"error":"test session 'ts_2' not found"}`]);
  expect(await ask("/api/r")).toEqual([200, "none"]);
});

test("invalid and reserved headers of a reply are not sent", async () => {
  await serve();
  const headers = {
    "X-Good": "1",
    "X-Split": "a\r\nSet-Cookie: x=1",
    "X-Feed": "a\nb",
    "X-Nul": "\0",
    "Bad Name": "1",
    "X-Wide": "\u20ac",
    Connection: "upgrade",
    "Transfer-Encoding": "chunked",
    "Content-Length": "1",
    CamelHttpUri: "x",
    "Set-Cookie": ["a=1", "b=2"],
  };
  server.mount("/api/r", () => ({ status: 200, headers, body: "whole body" }));
  const { text: answer } = await sendRaw(server.port, "GET /api/r HTTP/1.1\r\nHost: a\r\n\r\n", { replies: 1 });
  const names = answer
    .slice(0, answer.indexOf("\r\n\r\n"))
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(":")[0]);
  expect(names.sort()).toEqual(["Connection", "Content-Length", "Date", "Keep-Alive", "Set-Cookie", "Set-Cookie", "X-Good"]);
  expect(answer.endsWith("\r\n\r\nwhole body")).toBe(true);
});

test("streams are piped, and the connection is closed when they fail", async () => {
  await serve();
  async function* chunks(fails: boolean): AsyncIterable<Uint8Array> {
    for (let index = 0; index < 3; index++) yield Buffer.from(`part ${index};`);
    if (fails) throw new Error("lost");
  }
  server.mount("/api/good", () => ({ status: 200, headers: undefined, body: chunks(false) }));
  server.mount("/api/bad", () => ({ status: 200, headers: undefined, body: chunks(true) }));
  expect(await ask("/api/good")).toEqual([200, "part 0;part 1;part 2;"]);
  const { text: answer, closed } = await sendRaw(server.port, "GET /api/bad HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(answer).not.toContain("\r\n0\r\n\r\n");
  expect(closed).toBe(true);
});

test("callers that disconnect during a run do not affect others", async () => {
  await serve();
  const waiting: (() => void)[] = [];
  server.mount("/api/r", () => new Promise((resolve) => waiting.push(() => resolve(text("late")))));
  const controllers = Array.from({ length: 100 }, () => new AbortController());
  const calls = controllers.map((controller) => ask("/api/r", { signal: controller.signal }).catch(() => "aborted"));
  await expect.poll(() => waiting.length).toBe(100);
  for (const controller of controllers) controller.abort();
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["aborted"]));
  for (const release of waiting) release();
  await expect.poll(() => server.ingress.active).toBe(0);
  expect(server.faults).toEqual([]);
});
