import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { FlowError, Headers } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, failureOf, FakeHost } from "@sluice/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { httpConnector, type HttpSettings } from "./http.ts";

interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

/** A server that records requests and sends the given responses. */
async function stub(respond: (request: RecordedRequest, response: ServerResponse) => void = (_, response) => void response.end("ok")) {
  const requests: RecordedRequest[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const recorded = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() };
      requests.push(recorded);
      respond(recorded, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { requests, address: `127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

function sinkOf(uri: string, { trusted = true, ...settings }: HttpSettings & { trusted?: boolean } = {}) {
  return connectorUnderTest(httpConnector(settings), new FakeHost()).sink(uri, trusted);
}

async function call(uri: string, exchange = exchangeOf(), settings = {}) {
  await sinkOf(uri, settings).send(exchange);
  return exchange;
}

const text = (body: unknown): string => new TextDecoder().decode(body as Uint8Array);

describe("the request", () => {
  it("uses GET without and POST with a body, and the response becomes the message", async () => {
    const { requests, address } = await stub((_, response) => void response.writeHead(201, { "content-type": "text/plain", "x-answer": "1" }).end("made"));
    await call(`http://${address}/a?x=1&y=b%20c`);
    const exchange = await call(`http://${address}/a`, exchangeOf("hello", { kept: 1 }));
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["GET", "/a?x=1&y=b+c", ""],
      ["POST", "/a", "hello"],
    ]);
    expect(exchange.message.body).toBeInstanceOf(Uint8Array);
    const { headers } = exchange.message;
    expect([
      text(exchange.message.body),
      headers.get("CamelHttpResponseCode"),
      headers.get("CamelHttpResponseText"),
      headers.get("content-type"),
      headers.get("X-Answer"),
      headers.get("kept"),
    ]).toEqual(["made", 201, "Created", "text/plain", "1", 1]);
  });

  it("uses the method of the option, or of a header the route set", async () => {
    const { requests, address } = await stub();
    await call(`http://${address}/`, exchangeOf("x", { CamelHttpMethod: "put" }));
    await call(`http://${address}/?httpMethod=PATCH`, exchangeOf("x", { CamelHttpMethod: "put" }));
    await call(`http://${address}/`, exchangeOf("x", { CamelHttpMethod: "DELETE" }));
    expect(requests.map(({ method, body }) => [method, body])).toEqual([
      ["PUT", "x"],
      ["PATCH", "x"],
      ["DELETE", ""],
    ]);
    expect((await failureOf(() => call(`http://${address}/`, exchangeOf("x", { CamelHttpMethod: "GET /x HTTP/1.1\r\nx: y" })))).code).toBe("http-bad-method");
  });

  it("lets the route set path and query, but not the host", async () => {
    const { requests, address } = await stub();
    await call(`http://${address}/base/?a=1`, exchangeOf(null, { CamelHttpPath: "/orders/7", CamelHttpQuery: "b=2" }));
    await call(`http://${address}`, exchangeOf(null, { CamelHttpPath: "//evil.example/x" }));
    expect(requests.map(({ url }) => url)).toEqual(["/base/orders/7?b=2", "//evil.example/x"]);
  });

  it.each(["CamelHttpUri", "camelhttpuri", "CAMELHTTPURI", "CamelHttpPath", "CamelHttpQuery", "CamelHttpMethod"])(
    "ignores %s received from outside",
    async (name) => {
      const [fixed, other] = [await stub(), await stub()];
      const exchange = exchangeOf("x");
      exchange.message.headers = new Headers({ entries: () => [[name, name.toLowerCase() === "camelhttpuri" ? `http://${other.address}/` : "DELETE"]] });
      await call(`http://${fixed.address}/right?q=1`, exchange);
      expect(other.requests).toEqual([]);
      expect(fixed.requests.map(({ method, url }) => [method, url])).toEqual([["POST", "/right?q=1"]]);
    },
  );

  it("sends headers set by the route, but no received, hop-by-hop or Camel headers", async () => {
    const { requests, address } = await stub();
    const exchange = exchangeOf("x");
    exchange.message.headers = new Headers({
      entries: () => [
        ["Authorization", "Bearer inbound"],
        ["Cookie", "c=1"],
        ["X-Inbound", "1"],
        ["Content-Type", "application/xml"],
      ],
    });
    exchange.message.headers.set("X-Mine", "2");
    exchange.message.headers.set("CamelFoo", "3");
    exchange.message.headers.set("Connection", "upgrade");
    exchange.message.headers.set("Host", "evil.example");
    exchange.message.headers.set("Content-Length", "999");
    await call(`http://${address}/`, exchange);
    const headers = requests[0]?.headers ?? {};
    expect(Object.keys(headers).toSorted()).toEqual(["connection", "content-length", "content-type", "host", "user-agent", "x-mine"]);
    expect([headers.host, headers["content-length"], headers["content-type"], headers["x-mine"], headers.connection]).toEqual([
      address,
      "1",
      "application/xml",
      "2",
      "keep-alive",
    ]);
  });

  it("rejects a header value that would split the request", async () => {
    const { requests, address } = await stub();
    const failure = await failureOf(() => call(`http://${address}/`, exchangeOf("x", { "X-A": "1\r\nX-B: 2" })));
    expect([failure.code, requests.length]).toEqual(["http-bad-header", 0]);
  });

  it.each([
    [{ a: 1 }, '{"a":1}', "application/json"],
    [new Uint8Array([104, 105]), "hi", "application/octet-stream"],
    ["hi", "hi", "text/plain; charset=utf-8"],
    [
      (async function* () {
        yield Buffer.from("st");
        yield Buffer.from("ream");
      })(),
      "stream",
      "application/octet-stream",
    ],
  ])("sends a body of any type (%#)", async (body, sent, type) => {
    const { requests, address } = await stub();
    await call(`http://${address}/`, exchangeOf(body));
    expect([requests[0]?.body, requests[0]?.headers["content-type"]]).toEqual([sent, type]);
  });

  it("authenticates with user and password, a token, or the address", async () => {
    const { requests, address } = await stub();
    await call(`http://${address}/?authUsername=u&authPassword=p%26w`);
    await call(`http://${address}/?authMethod=Bearer&authBearerToken=tok`);
    await call(`http://me:se%20cret@${address}/`);
    await call(`http://50%:a%E0%20b@${address}/`);
    await call(`http://${address}/?authUsername=u`, exchangeOf(null, { Authorization: "Custom own" }));
    const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      basic("u:p&w"),
      "Bearer tok",
      basic("me:se cret"),
      basic("50%:a%E0%20b"),
      "Custom own",
    ]);
    expect(() => sinkOf("http://a/?authMethod=Bearer")).toThrow(/requires authBearerToken/);
  });

  it("propagates the trace", async () => {
    const { requests, address } = await stub();
    await call(
      `http://${address}/`,
      exchangeOf(null, {}, { trace: { traceId: "a".repeat(32), spanId: "b".repeat(16), parentSpanId: undefined, sampled: true } }),
    );
    expect(requests[0]?.headers["traceparent"]).toBe(`00-${"a".repeat(32)}-${"b".repeat(16)}-01`);
  });

  it("rejects unsupported options instead of sending them to the server", () => {
    for (const name of ["oauth2ClientSecret", "proxyAuthPassword", "sslContextParameters", "multipartUpload"])
      expect(() => sinkOf(`http://a.example/?${name}=S3CR3T`)).toThrow(`option '${name}' of http`);
  });

  it("rejects an invalid address at deploy time", () => {
    expect(() => sinkOf("http://")).toThrow();
    expect(() => sinkOf("http://a b c:99999/")).toThrow(/is not a valid HTTP address/);
    expect(() => sinkOf("http://a/?okStatusCodeRange=2xx")).toThrow(/not a status code or range/);
  });
});

describe("the response", () => {
  it("fails outside okStatusCodeRange with all details for a handler and no secrets", async () => {
    const { address } = await stub((_, response) => void response.writeHead(503, { "x-why": "busy", "set-cookie": "sid=1" }).end("x".repeat(40_000)));
    const failure = await failureOf(() => call(`http://u:pw@${address}/a?apiKey=S3CR3T&n=1`));
    expect(failure.type).toBe("org.apache.camel.http.base.HttpOperationFailedException");
    expect(failure.message).toBe(`HTTP operation failed invoking http://${address}/a?apiKey=xxxxxx&n=1 with statusCode: 503`);
    expect(failure.details).toMatchObject({ statusCode: 503, statusText: "Service Unavailable", responseHeaders: { "x-why": "busy" } });
    expect(failure.details?.["responseBody"]).toHaveLength(16_384);
    expect(JSON.stringify(failure.details)).not.toMatch(/S3CR3T|sid=1|pw/);
    expect(failure.retryable).toBe(true);
  });

  it("leaves the message unchanged when it fails, and can have any status with throwExceptionOnFailure=false", async () => {
    const { address } = await stub((_, response) => void response.writeHead(404).end("gone"));
    const exchange = exchangeOf("before");
    expect((await failureOf(() => call(`http://${address}/`, exchange))).retryable).toBe(false);
    expect(exchange.message.body).toBe("before");
    await call(`http://${address}/?throwExceptionOnFailure=false`, exchange);
    expect([text(exchange.message.body), exchange.message.headers.get("CamelHttpResponseCode")]).toEqual(["gone", 404]);
    await call(`http://${address}/?okStatusCodeRange=200,404-410`, exchange);
  });

  it("cannot control later steps with its headers", async () => {
    const { address } = await stub(
      (_, response) => void response.writeHead(200, { CamelHttpUri: "http://evil.example", "x-token": "t", "content-type": "a/b" }).end(),
    );
    const { message } = await call(`http://${address}/`, exchangeOf("x", { "Content-Type": "text/mine" }));
    expect(message.headers.has("CamelHttpUri")).toBe(false);
    expect([message.headers.get("x-token"), message.headers.getOwn("x-token")]).toEqual(["t", undefined]);
    expect(message.headers.get("Content-Type")).toBe("a/b");
  });

  it("replaces all headers without copyHeaders", async () => {
    const { address } = await stub();
    const { message } = await call(`http://${address}/?copyHeaders=false`, exchangeOf("x", { mine: 1 }));
    expect([message.headers.has("mine"), message.headers.get("CamelHttpResponseCode")]).toEqual([false, 200]);
  });

  it("is decompressed, and its size is limited before and after decompression", async () => {
    const { address } = await stub((request, response) => {
      if (request.url.startsWith("/zip")) response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("z".repeat(100_000)));
      else response.end("y".repeat(5000));
    });
    const { message } = await call(`http://${address}/zip`);
    expect([(message.body as Uint8Array).length, message.headers.has("Content-Encoding")]).toEqual([100_000, false]);
    for (const path of ["zip", "plain"]) expect((await failureOf(() => call(`http://${address}/${path}?maxResponseSize=2000`))).code).toBe("limit-size");
  });

  it("is null for 204, and discarded with ignoreResponseBody", async () => {
    const { address } = await stub((request, response) => void response.writeHead(request.url === "/none" ? 204 : 200).end("x"));
    expect((await call(`http://${address}/none`, exchangeOf("b"))).message.body).toBeNull();
    expect((await call(`http://${address}/?ignoreResponseBody=true`, exchangeOf("b"))).message.body).toBeNull();
  });

  it("can be a stream", async () => {
    const { address } = await stub((_, response) => void response.end("streamed"));
    const { message } = await call(`http://${address}/?disableStreamCache=true`);
    let read = "";
    for await (const chunk of message.body as AsyncIterable<Uint8Array>) read += text(chunk);
    expect(read).toBe("streamed");
  });
});

describe("failures", () => {
  it("maps a refused connection and an unknown host to Java's exceptions", async () => {
    const { address, server } = await stub();
    await new Promise((resolve) => server.close(resolve));
    const refused = await failureOf(() => call(`http://${address}/`));
    expect([refused.type, refused.retryable]).toEqual(["java.net.ConnectException", true]);
    expect((await failureOf(() => call("http://no-such-host.invalid/"))).type).toBe("java.net.UnknownHostException");
  });

  it("times out for a server that never responds and for one that stops midway", async () => {
    const { address } = await stub((request, response) => {
      if (request.url !== "/never") response.writeHead(200, { "content-length": "100" }).write("part");
    });
    for (const path of ["never", "middle"]) {
      const failure = await failureOf(() => call(`http://${address}/${path}?responseTimeout=300`));
      expect(failure.type).toBe("java.net.SocketTimeoutException");
    }
  });

  it("survives connection resets at any time", async () => {
    let mode = 0;
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        const responses = ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "garbage\r\n\r\n"];
        socket.write(responses[mode++ % responses.length] ?? "", () => socket.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    for (let i = 0; i < 8; i++) expect((await failureOf(() => call(`http://127.0.0.1:${port}/`))).retryable).toBe(true);
  });

  it("closes the connection when the run is cancelled", async () => {
    let arrived: (() => void) | undefined;
    const received = new Promise<void>((resolve) => (arrived = resolve));
    const { address, server } = await stub(() => arrived?.());
    const exchange = exchangeOf();
    const reason = new FlowError("java.util.concurrent.TimeoutException", "deadline");
    const closed = new Promise<void>((resolve) => server.on("connection", (socket) => socket.on("close", () => resolve())));
    const failing = failureOf(() => call(`http://${address}/`, exchange));
    await received;
    exchange.run.cancel(reason);
    expect(await failing).toBe(reason);
    await closed;
  });
});

describe("redirects", () => {
  it("fail the call unless followRedirects is set", async () => {
    const { address, requests } = await stub(
      (request, response) => void (request.url === "/a" ? response.writeHead(302, { location: "/b" }).end() : response.end("b")),
    );
    expect((await failureOf(() => call(`http://${address}/a`))).details?.["redirectLocation"]).toBe("/b");
    expect(text((await call(`http://${address}/a?followRedirects=true`, exchangeOf("x"))).message.body)).toBe("b");
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /a", "POST /a", "GET /b"]);
  });

  it("keep method and body for 307", async () => {
    const { address, requests } = await stub(
      (request, response) => void (request.url === "/a" ? response.writeHead(307, { location: "/b" }).end() : response.end()),
    );
    await call(`http://${address}/a?followRedirects=true`, exchangeOf("x"));
    expect(requests.map(({ method, body }) => `${method} ${body}`)).toEqual(["POST x", "POST x"]);
  });

  it("stop after ten", async () => {
    const { address, requests } = await stub((_, response) => void response.writeHead(302, { location: "/again" }).end());
    expect((await failureOf(() => call(`http://${address}/?followRedirects=true`))).code).toBe("http-redirects");
    expect(requests.length).toBe(11);
  });

  it("do not send credentials to another origin, and are rejected for private addresses", async () => {
    const other = await stub();
    const first = await stub((_, response) => void response.writeHead(302, { location: `http://${other.address}/` }).end());
    const uri = `http://${first.address}/?followRedirects=true&authUsername=u&authPassword=p`;
    const failure = await failureOf(() => call(uri));
    expect([failure.code, failure.message.startsWith("egress denied"), other.requests.length]).toEqual(["egress-denied", true, 0]);
    await call(uri, exchangeOf(null, { Cookie: "c=1" }), { egress: { allowPrivate: true } });
    expect([other.requests[0]?.headers.authorization, other.requests[0]?.headers.cookie]).toEqual([undefined, undefined]);
    expect(first.requests[0]?.headers.authorization).toMatch(/^Basic /);
  });

  it("cannot target files", async () => {
    const { address } = await stub((_, response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end());
    expect((await failureOf(() => call(`http://${address}/?followRedirects=true`))).code).toBe("egress-denied");
  });
});

describe("addresses from messages", () => {
  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "[::1]",
    "[fd00::1]",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "0x7f.1",
    "0.0.0.0",
    "[::]",
    "100.64.0.1",
    "[64:ff9b::7f00:1]",
  ])("rejects %s", async (host) => {
    const { address, requests } = await stub();
    const port = address.split(":")[1];
    const failure = await failureOf(() => sinkOf(`http://${host}:${port}/`, { trusted: false }).send(exchangeOf()));
    expect(failure.message).toMatch(/^egress denied/);
    expect((await failureOf(() => call("http://example.com/", exchangeOf(null, { CamelHttpUri: `http://${host}:${port}/` })))).code).toBe("egress-denied");
    expect(requests.length).toBe(0);
  });

  it("rejects a name that resolves to a private address when it connects", async () => {
    const { address, requests } = await stub();
    expect((await failureOf(() => sinkOf(`http://localhost:${address.split(":")[1]}/`, { trusted: false }).send(exchangeOf()))).code).toBe("egress-denied");
    expect(requests.length).toBe(0);
  });

  it("reaches hosts allowed by the operator, and the flow's own host under another path", async () => {
    const { address, requests } = await stub();
    await sinkOf(`http://${address}/`, { trusted: false, egress: { allowHosts: [address] } }).send(exchangeOf());
    await sinkOf(`http://${address}/`, { trusted: false, egress: { allowPrivate: true } }).send(exchangeOf());
    await call(`http://${address}/`, exchangeOf(null, { CamelHttpUri: `http://${address}/other` }));
    await call(`http://${address}/?bridgeEndpoint=true`, exchangeOf(null, { CamelHttpUri: "http://10.0.0.1/" }));
    expect(requests.map(({ url }) => url)).toEqual(["/", "/", "/other", "/"]);
  });

  it.each(["file:///etc/passwd", "ftp://x/", "nonsense", ""])("rejects the address '%s'", async (uri) => {
    expect((await failureOf(() => call("http://example.com/", exchangeOf(null, { CamelHttpUri: uri })))).code).toBe("http-bad-uri");
  });
});
