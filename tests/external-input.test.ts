// External input is data: it selects no endpoint, method, file or expression. Each case goes through a webhook of a real server, with
// partners that record what they receive.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRaw } from "@sluice/testkit";
import { call, eventually, startTestServer, token, type ApiReply, type StartedServer } from "./started-server.ts";
import { stubPartner, type StubPartner } from "./stub-partner.ts";

let server: StartedServer;
let partner: StubPartner;
let other: StubPartner;
let base: string;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "sluice-outside-"));
  writeFileSync(join(base, "secret.txt"), "S3CR3T-file");
  server = await startTestServer({ env: { ENV_MARKER: "S3CR3T-env" } });
  partner = await stubPartner((_call, response) => {
    response.setHeader("Set-Cookie", "session=1");
    response.setHeader("CamelHttpUri", other.url);
    response.end("fine");
  });
  other = await stubPartner();
});
afterAll(async () => {
  await Promise.all([server.end(), partner.close(), other.close()]);
  rmSync(base, { recursive: true, force: true });
});

const hook = (id: string, ...steps: readonly string[]): string => `- route:
    id: ${id}
    from:
      uri: webhook
      parameters: {muteException: false}
      steps:
${steps.map((step) => `        - ${step}`).join("\n")}
`;

async function install(id: string, ...steps: readonly string[]): Promise<(body: string, headers?: Readonly<Record<string, string>>) => Promise<ApiReply>> {
  const reply = await server.putFlow(id, hook(id, ...steps));
  expect([reply.status, reply.json?.error]).toEqual([expect.toSatisfy((status) => status === 201 || status === 200), undefined]);
  return (body, headers = {}) => call(server.baseUrl, "POST", `/api/${id}`, body, { "content-type": "text/plain", ...headers });
}

describe("control values", () => {
  it("no spelling of an engine header controls an http or file step", async () => {
    const send = await install(
      "engine-headers",
      `to: ${partner.url}/fixed?httpMethod=POST`,
      `to: file:${base}/engine-headers?fileName=kept.txt`,
      "setBody: {constant: done}",
    );
    for (const name of [
      "CamelHttpUri",
      "camelhttpuri",
      "CAMELHTTPURI",
      "cAmElHtTpUrI",
      "CamelHttpPath",
      "CamelHttpQuery",
      "CamelHttpMethod",
      "CamelFileName",
      "CamelOverruleFileName",
      "Camel-Http-Uri",
      "Camel.Http.Uri",
    ])
      expect((await send("x", { [name]: name.toLowerCase().includes("file") ? "../stolen.txt" : `${other.url}/stolen` })).text).toBe("done");
    expect(other.connections()).toBe(0);
    expect(new Set(partner.calls.map(({ method, url }) => `${method} ${url}`))).toEqual(new Set(["POST /fixed"]));
    expect(readdirSync(join(base, "engine-headers"))).toEqual(["kept.txt"]);
    expect(existsSync(join(base, "stolen.txt"))).toBe(false);
  });

  it("the headers of a partner's reply do not control later steps", async () => {
    const send = await install("reply-headers", `to: ${partner.url}/first`, `to: ${partner.url}/second`, "setBody: {constant: done}");
    expect((await send("x")).text).toBe("done");
    expect(other.connections()).toBe(0);
  });

  it("credentials, cookies, Camel and hop-by-hop headers are neither forwarded nor returned", async () => {
    partner.calls.length = 0;
    const send = await install("forwarded-headers", `to: ${partner.url}/forwarded-headers`);
    const secrets = {
      authorization: "Bearer S3CR3T",
      cookie: "a=S3CR3T",
      "x-api-key": "S3CR3T",
      te: "trailers",
      "proxy-authorization": "S3CR3T",
      camelfoo: "S3CR3T",
    };
    const head = Object.entries(secrets)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    const { text: reply } = await sendRaw(
      server.port,
      `POST /api/forwarded-headers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}Content-Length: 1\r\n\r\nx`,
    );
    expect(reply).toMatch(/^HTTP\/1\.1 200/);
    expect(reply).not.toContain("S3CR3T");
    expect(reply.toLowerCase()).not.toMatch(/set-cookie|camelhttpuri/);
    expect(JSON.stringify(partner.calls.at(-1)?.headers)).not.toContain("S3CR3T");
    await send("x");
  });
});

describe("addresses from messages", () => {
  it("a URI from the message is rejected unless its scheme is allowed", async () => {
    await server.putFlow(
      "private-route",
      "- route:\n    id: private-route\n    from:\n      uri: direct:private\n      steps:\n        - setBody: {constant: S3CR3T-route}\n",
    );
    const sends = [
      await install("to-dynamic", 'toD: "${body}"'),
      await install("recipient-list", 'recipientList: {simple: "${body}"}'),
      await install("enriching", 'enrich: {simple: "${body}"}'),
      await install("routing-slip", 'routingSlip: {simple: "${body}"}'),
      await install("dynamic-router", 'dynamicRouter: {simple: "${body}"}'),
      await install("poll-enrich", 'pollEnrich: {simple: "${body}", timeout: "10"}'),
    ];
    for (const send of sends)
      for (const uri of [`file:${base}`, "exec:id", "direct:private", `${other.url}/x`, "http://127.0.0.1:1/", "seda:x", "log:x", `mock:x,${other.url}`]) {
        const reply = await send(uri);
        expect([reply.status, reply.text.includes("S3CR3T")], `${uri}: ${reply.text}`).toEqual([500, false]);
      }
    expect(other.connections()).toBe(0);
    const allowing = await install("allowed-scheme", 'toD: {uri: "${body}", allowedSchemes: direct}');
    expect((await allowing("direct:private")).text).toBe("S3CR3T-route");
    expect((await allowing(`file:${base}`)).json.error).toContain("not in allowedSchemes");
  });

  it("a URI from a message stays untrusted behind a queue", async () => {
    await server.putFlow(
      "queued-uri",
      `${hook("queued-uri", "to: {uri: 'seda:queued-uri', parameters: {waitForTaskToComplete: Always}}")}- route:\n    id: behind-queue\n    from:\n      uri: seda:queued-uri\n      steps:\n        - toD: "\${body}"\n`,
    );
    const reply = await call(server.baseUrl, "POST", "/api/queued-uri", "direct:private");
    expect([reply.status, reply.json.error]).toEqual([500, expect.stringContaining("it came from the message")]);
  });

  it("a value in an address cannot change other parts", async () => {
    partner.calls.length = 0;
    const send = await install("query-value", `toD: "${partner.url}/x?q=\${body}"`);
    expect((await send("a&httpMethod=DELETE#f?x=%26")).status).toBe(200);
    expect(partner.calls.map(({ method, url }) => [method, new URL(url, partner.url).searchParams.get("q")])).toEqual([
      ["POST", "a&httpMethod=DELETE#f?x=%26"],
    ]);
    const path = await install("path-value", `toD: "${partner.url}/users/\${body}/orders"`);
    for (const climbing of ["../admin", "..", "%2e%2e/admin", "a/..%2f..", "..\\\\admin"]) expect((await path(climbing)).status, climbing).toBe(500);
    expect((await path("7?admin=1#")).status).toBe(200);
    expect(partner.calls.at(-1)?.url).toBe("/users/7%3Fadmin=1%23/orders");
  });

  it("a private host from the body gets no connection, however it is spelled", async () => {
    const send = await install("private-host", 'toD: "http://${body}/x"');
    const port = other.host.split(":")[1] as string;
    for (const host of [
      `127.0.0.1:${port}`,
      "10.0.0.1",
      "169.254.169.254",
      "[::1]",
      "[fd00::1]",
      `localhost:${port}`,
      `2130706433:${port}`,
      `0x7f.1:${port}`,
      `127.1:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `0.0.0.0:${port}`,
    ]) {
      const reply = await send(host);
      expect([reply.status, reply.json.error], host).toEqual([500, expect.stringMatching(/egress denied|is rejected/)]);
    }
    expect(other.connections()).toBe(0);
  });

  it("redirects are checked at every hop, loops end, credentials are not forwarded", async () => {
    let location = "";
    const redirecting = await stubPartner((_call, response) => void response.writeHead(302, { location }).end());
    try {
      const send = await install(
        "redirected",
        "setHeader: {name: Authorization, constant: Bearer S3CR3T}",
        `to: ${redirecting.url}/start?followRedirects=true`,
      );
      for (const target of [`${other.url}/inside`, "file:///etc/passwd", "http://169.254.169.254/"]) {
        location = target;
        const reply = await send("x");
        expect([reply.status, reply.json.error], target).toEqual([500, expect.stringMatching(/egress denied/)]);
      }
      expect(other.connections()).toBe(0);
      location = `${redirecting.url}/again`;
      redirecting.calls.length = 0;
      expect((await send("x")).json.error).toContain("more than 10 redirects");
      expect(redirecting.calls.length).toBeLessThanOrEqual(11);
    } finally {
      await redirecting.close();
    }
  });

  it("a file name from the message never leaves the directory", async () => {
    const folder = join(base, "file-name");
    const send = await install("file-name", 'setHeader: {name: CamelFileName, simple: "${header.name}"}', `to: file:${folder}`, "setBody: {constant: written}");
    const before = readdirSync(base);
    for (const name of ["../../x", "/etc/x-sluice", "a/../../b", "x".repeat(300), "..", "c:x", "..\\x"])
      expect((await send("x", { name })).status, name).toBe(500);
    const query = await call(server.baseUrl, "POST", "/api/file-name?name=a%00b", "x");
    expect(query.status).toBe(500);
    const sub = await install("file-folder", `toD: "file:${folder}/\${header.name}"`);
    for (const name of ["..", "../out", "a/../../b"]) expect((await sub("x", { name })).status, name).toBe(500);
    expect((await send("x", { name: "sub/fine.txt" })).text).toBe("written");
    expect(new Set(readdirSync(base))).toEqual(new Set([...before, "file-name"]));
    expect(readdirSync(folder)).toEqual(["sub"]);
    expect(existsSync("/etc/x-sluice")).toBe(false);
  });
});

describe("expressions", () => {
  const attacks = [
    "constructor.constructor('return process')()",
    "globalThis.process",
    "require('fs')",
    "this",
    "import('fs')",
    "body.constructor.constructor('return process.env')()",
  ];
  it("cannot access process, files, network or environment", async () => {
    for (const [index, attack] of attacks.entries()) {
      const put = await server.putFlow(`access-${index}`, hook(`access-${index}`, `setBody: {simple: "\${${attack}}"}`));
      if (put.status === 400) continue;
      const reply = await call(server.baseUrl, "POST", `/api/access-${index}`, "x");
      expect(reply.text).not.toMatch(/S3CR3T|\[object process\]|PATH/);
    }
    const script = await server.putFlow("script-access", hook("script-access", `setBody: {js: "process.env.ENV_MARKER"}`));
    if (script.status !== 400) expect((await call(server.baseUrl, "POST", "/api/script-access", "x")).text).not.toContain("S3CR3T");
  });

  it("text that looks like an expression stays text, in log, body, header and dead letter", async () => {
    const attack = "${env:SERVICE_DEPLOY_TOKEN} {{x}} #{1+1} <%=1%> ${sys.user}";
    await server.putFlow(
      "text-only",
      `- errorHandler:\n    deadLetterChannel: {deadLetterUri: direct:text-dead}\n${hook("text-only", 'log: "seen ${body}"', 'setHeader: {name: copy, simple: "${body}"}', 'setBody: {simple: "${header.copy}"}', "throwException: {exceptionType: java.lang.Exception, message: down}")}- route:\n    id: text-dead\n    from:\n      uri: direct:text-dead\n      steps:\n        - setBody: {simple: "dead \${body}"}\n`,
    );
    const reply = await call(server.baseUrl, "POST", "/api/text-only", attack, { "content-type": "text/plain" });
    expect(reply.text).toBe(`dead ${attack}`);
    await eventually(() => server.logText().includes(`seen ${attack}`));
  });

  it("text that looks like an expression stays text, in mappings and event streams", async () => {
    const attack = "${env:SERVICE_DEPLOY_TOKEN} {{x}} #{1+1} <%=1%>";
    const document = {
      source: { format: "json" },
      target: { format: "json" },
      map: [
        { to: "copy", from: "text" },
        { to: "joined", expr: "'<' + text + '>'" },
      ],
    };
    expect((await server.api("PUT", "/message-mappings/text-map", document)).status).toBe(201);
    const stop = new AbortController();
    const stream = await fetch(`${server.baseUrl}/_api/logs/stream?routeId=text-mapped`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    });
    let watched = "";
    const watching = (async () => {
      for await (const chunk of stream.body as ReadableStream<Uint8Array>) watched += new TextDecoder().decode(chunk);
    })().catch(() => undefined);
    const send = await install("text-mapped", 'to: "message-mapping:text-map"', 'log: "mapped ${body}"');
    const reply = await send(JSON.stringify({ text: attack }), { "content-type": "application/json" });
    expect(reply.json).toEqual({ copy: attack, joined: `<${attack}>` });
    await eventually(() => watched.includes(`mapped {`));
    expect(watched).toContain(attack);
    stop.abort();
    await watching;
  });

  it("XML cannot access files or the network, and entity expansion is bounded", async () => {
    const send = await install("xml-access", 'setBody: {xpath: {expression: "string(/a)", resultType: String}}');
    const documents = [
      `<!DOCTYPE a [<!ENTITY e SYSTEM "file://${base}/secret.txt">]><a>&e;</a>`,
      `<!DOCTYPE a SYSTEM "${other.url}/x.dtd"><a>x</a>`,
      `<!DOCTYPE a [<!ENTITY % p SYSTEM "${other.url}/p">%p;]><a>x</a>`,
      `<!DOCTYPE a [<!ENTITY b "${"x".repeat(100)}">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${"cdefghijk"[i]} "${`&${"bcdefghij"[i]};`.repeat(10)}">`).join("")}]><a>&k;</a>`,
      `<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file://${base}/secret.txt" parse="text"/></a>`,
    ];
    for (const document of documents) {
      const reply = await send(document, { "content-type": "application/xml" });
      expect(reply.text.includes("S3CR3T-file"), document.slice(0, 60)).toBe(false);
      expect([200, 400, 500]).toContain(reply.status);
      expect(reply.text.length).toBeLessThan(10_000);
    }
    expect(other.connections()).toBe(0);
  });

  it("exec, beans of classes and scripts are rejected at PUT by name", async () => {
    for (const [step, word] of [
      ["to: exec:id", "exec"],
      ["to: class:java.lang.Runtime", "class"],
      ["to: bean:anything", "bean"],
      ["script: {groovy: 'x'}", "groovy"],
      ["bean: {beanType: java.lang.Runtime}", "java.lang.Runtime"],
    ] as const) {
      const reply = await server.putFlow("rejected-step", hook("rejected-step", step));
      expect([reply.status, reply.json.error], step).toEqual([422, expect.stringContaining(word)]);
      expect(reply.json.error, step).not.toMatch(/^line \d+: unknown (?!bean)/);
    }
  });

  it("for any body, a log step writes one bounded record", async () => {
    const send = await install("one-record", 'log: "one-record ${body}"');
    await send(`first\nsecond\r\n[INFO] fake\u001b[31mred ${"y".repeat(1_000_000)}`);
    await eventually(() => server.logText().includes("one-record first"));
    const lines = server
      .logText()
      .split("\n")
      .filter((line) => line.includes("one-record first"));
    expect(lines).toHaveLength(1);
    expect((lines[0] as string).length).toBeLessThan(200_000);
    expect(lines[0]).not.toContain("\u001b");
    expect(JSON.parse(lines[0] as string)).toMatchObject({ level: "INFO", message: expect.stringContaining("one-record first\nsecond") });
  });
});
