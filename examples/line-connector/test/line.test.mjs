import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, test } from "node:test";
import { connectorSuite, connectorUnderTest, exchangeOf, FakeHost, FakeRouteInput, flow } from "@sluice/testkit";
import { FlowError } from "@sluice/engine/spi";
import { line } from "sluice-connector-line";

for (const { name, run } of connectorSuite(line, { uri: "line:127.0.0.1:0" })) test(name, run);

const cleanups = new Set();
afterEach(() => {
  for (const cleanUp of cleanups) cleanUp();
  cleanups.clear();
});

/** A partner that handles each line with `replyTo`: a string is the reply, undefined sends none, null closes the connection. */
async function partner(replyTo) {
  const received = [];
  const server = createServer((socket) => {
    cleanups.add(() => socket.destroy());
    createInterface({ input: socket }).on("line", (text) => {
      received.push(text);
      const reply = replyTo(text);
      if (reply === null) socket.destroy();
      else if (reply !== undefined) socket.write(`${reply}\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.add(() => server.close());
  return { received, port: server.address().port };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Starts a source on a free port. */
async function startSource(work, options = "") {
  const port = await freePort();
  const routeInput = new FakeRouteInput(work);
  const source = connectorUnderTest(line, new FakeHost()).source(`line:127.0.0.1:${port}${options}`);
  await source.start(routeInput);
  cleanups.add(() => source.abandon());
  cleanups.add(() => source.stop());
  return { port, routeInput, source };
}

/** Sends text; resolves with the received lines when there are `count` of them, or when the connection is closed. */
async function exchange(port, text, count = 1) {
  const socket = connect(port, "127.0.0.1");
  cleanups.add(() => socket.destroy());
  const lines = [];
  const done = new Promise((resolve) => {
    socket.on("close", resolve);
    createInterface({ input: socket }).on("line", (reply) => {
      lines.push(reply);
      if (lines.length === count) resolve();
    });
  });
  socket.write(text);
  await done;
  socket.destroy();
  return lines;
}

test("the source delivers each line as a message and replies after its run, in order", async () => {
  const { port, routeInput } = await startSource(async ({ message }) => {
    await new Promise((resolve) => setTimeout(resolve, message.body === "slow" ? 50 : 0));
    message.body = `got ${message.body}`;
  });
  assert.deepEqual(await exchange(port, "slow\r\nfast\n", 2), ["got slow", "got fast"]);
  assert.equal(routeInput.exchanges[0].message.headers.get("LineRemoteAddress"), "127.0.0.1");
  assert.equal(routeInput.exchanges[0].message.headers.getOwn("LineRemoteAddress"), undefined);
});

test("the source reports a failed run and continues", async () => {
  const { port } = await startSource(({ message }) => {
    if (message.body === "bad") throw new FlowError("java.lang.Exception", "no", { code: "order-refused" });
  });
  assert.deepEqual(await exchange(port, "bad\ngood\n", 2), ["ERROR order-refused", "good"]);
});

test("the source closes the connection without a reply when the message was not accepted", async () => {
  const { port } = await startSource(() => {
    throw new FlowError("java.lang.Exception", "full", { code: "limit-inflight" });
  });
  assert.deepEqual(await exchange(port, "a\n"), []);
});

test("the source disconnects a partner whose line is too long", async () => {
  const { port, routeInput } = await startSource(() => undefined, "?maxLine=10");
  assert.deepEqual(await exchange(port, "x".repeat(11)), []);
  assert.equal(routeInput.exchanges.length, 0);
});

test("a stopping source finishes the current line and accepts no more", async () => {
  let finish;
  const { port, routeInput, source } = await startSource(() => new Promise((resolve) => (finish = resolve)));
  const replies = exchange(port, "one\ntwo\n", 2);
  while (routeInput.exchanges.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const stopped = source.stop();
  finish();
  await stopped;
  assert.deepEqual(await replies, ["one"]);
  assert.equal(routeInput.exchanges.length, 1);
});

test("a port that is in use is a failure that the runtime retries", async () => {
  const { port } = await partner(() => undefined);
  const source = connectorUnderTest(line, new FakeHost()).source(`line:127.0.0.1:${port}`);
  await assert.rejects(source.start(new FakeRouteInput()), { code: "line-listen", retryable: true });
});

test("the sink sends the body and uses the reply as the new body", async () => {
  const { port, received } = await partner((text) => text.toUpperCase());
  const run = await flow(`- to: line:127.0.0.1:${port}`, { connectors: [line] });
  assert.deepEqual((await run({ body: "hello" })).body, "HELLO");
  assert.deepEqual((await run({ body: "again" })).body, "AGAIN");
  assert.deepEqual(received, ["hello", "again"]);
  await run.stop();
});

test("the sink fails with a type that flows can catch, and connects again", async () => {
  const { port } = await partner((text) => (text === "die" ? null : "ok"));
  const run = await flow(
    `- doTry: {steps: [{to: "line:127.0.0.1:${port}"}], doCatch: [{exception: [line.LineException], steps: [{setBody: {constant: caught}}]}]}`,
    { connectors: [line] },
  );
  assert.equal((await run({ body: "die" })).body, "caught");
  assert.equal((await run({ body: "live" })).body, "ok");
  await run.stop();
});

test("the sink does not wait longer than its timeout", async () => {
  const { port } = await partner(() => undefined);
  const host = new FakeHost();
  const sent = connectorUnderTest(line, host).sink(`line:127.0.0.1:${port}?timeout=2s`).send(exchangeOf("a"));
  const failed = assert.rejects(sent, { code: "line-failed", retryable: true, message: /no reply within 2000 ms/ });
  await host.clock.advance(2_000);
  await failed;
  assert.equal(host.clock.pending, 0);
});

test("the sink rejects bodies with several lines and addresses from messages", async () => {
  const sink = connectorUnderTest(line, new FakeHost()).sink("line:127.0.0.1:1");
  await assert.rejects(sink.send(exchangeOf("a\nb")), { code: "line-break" });
  const run = await flow("- toD: {uri: '${header.to}', allowedSchemes: line}", { connectors: [line] });
  assert.match((await run({ headers: { to: "line:127.0.0.1:1" } })).error, /came from a message/);
  await run.stop();
});

test("the sink without replies resolves when the line is written", async () => {
  const { port, received } = await partner(() => undefined);
  const sink = connectorUnderTest(line, new FakeHost()).sink(`line:127.0.0.1:${port}?reply=false`);
  await sink.send(exchangeOf("fire"));
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(received, ["fire"]);
  await sink.stop();
});
