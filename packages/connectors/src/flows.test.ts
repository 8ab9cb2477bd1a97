// Runs connectors in complete flows: their guarantees must also hold when the engine runs them.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advanceUntil, eventually, flow, settle, type FlowUnderTest } from "@sluice/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { connectors } from "./index.ts";

const otherConnectors = connectors.filter(({ scheme }) => !["direct", "mock"].includes(scheme));
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function run(yaml: string, properties: Readonly<Record<string, string>> = {}): Promise<FlowUnderTest> {
  const running = await flow(yaml, { connectors: otherConnectors, properties });
  cleanUps.push(() => running.stop());
  return running;
}

const bodies = (running: FlowUnderTest, mock: string): unknown[] => (running.mocks.get(mock.slice("mock:".length)) ?? []).map(({ body }) => body);

/** Advances the clock until the mock has this many messages. */
const waitForMessages = (running: FlowUnderTest, mock: string, count: number): Promise<void> =>
  advanceUntil(running.host.clock, () => bodies(running, mock).length >= count);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "sluice-flow-"));
  cleanUps.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe("a file endpoint", () => {
  const repository = `- beans: [{name: seen, type: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository", builderMethod: build}]`;

  it("stores the keys of processed files in a repository of the flow", async () => {
    const directory = await folder();
    await writeFile(join(directory, "a.txt"), "one");
    const running = await run(
      `${repository}
- from:
    uri: file:{{directory}}
    parameters: {noop: true, idempotentEager: false, idempotentRepository: "#seen", idempotentKey: "\${file:size}", initialDelay: 10, delay: 20}
    steps: [{convertBodyTo: String}, {to: "mock:read"}]`,
      { directory },
    );
    await waitForMessages(running, "mock:read", 1);
    // A file with the same key is skipped; a different length makes a different key.
    await writeFile(join(directory, "b.txt"), "two");
    await writeFile(join(directory, "c.txt"), "three");
    await waitForMessages(running, "mock:read", 2);
    expect(bodies(running, "mock:read")).toEqual(["one", "three"]);
  });

  it("polls by a cron expression and in another time unit", async () => {
    const directory = await folder();
    await writeFile(join(directory, "a.txt"), "one");
    const running = await run(
      `- from:
    uri: file:{{directory}}
    parameters: {delete: true, scheduler: quartz, scheduler.cron: "* * * * * ?", timeUnit: SECONDS, delay: 3600}
    steps: [{convertBodyTo: String}, {to: "mock:read"}]`,
      { directory },
    );
    await waitForMessages(running, "mock:read", 1);
    await eventually(async () => (await readdir(directory)).length === 0);
  });
});

describe("exchangePattern of an endpoint between routes", () => {
  const worker = `- from: {uri: "seda:work", steps: [{setBody: {simple: "done \${body}"}}, {to: "mock:done"}]}`;

  it("determines whether a sender waits for a queue", async () => {
    const waits = await run(`- from: {uri: "direct:start", steps: [{to: "seda:work"}]}\n${worker}`);
    expect((await waits({ body: "a" })).body).toBe("done a");
    const oneWay = await run(`- from: {uri: "direct:start", steps: [{to: "seda:work?exchangePattern=InOnly"}]}\n${worker}`);
    expect((await oneWay({ body: "a" })).body).toBe("a");
    await settle();
    expect(bodies(oneWay, "mock:done")).toEqual(["done a"]);
  });
});

describe("seda", () => {
  const yaml = `
- from:
    uri: direct:start
    steps:
      - to: seda:work
      - to: mock:after
- from:
    uri: seda:work
    steps:
      - setBody: {simple: "did \${body}"}
      - setHeader: {name: h, constant: "1"}
      - to: mock:worked
`;

  it("returns the reply to a waiting caller", async () => {
    const running = await run(yaml);
    const { body, headers } = await running({ body: "x", delivery: { pattern: "InOut" } });
    expect([body, headers["h"]]).toEqual(["did x", "1"]);
    expect(bodies(running, "mock:after")).toEqual(["did x"]);
  });

  it("lets a one-way caller continue, and loses nothing when the runtime stops", async () => {
    const running = await run(yaml);
    for (let i = 0; i < 200; i++) await running({ body: i, delivery: { pattern: "InOnly" } });
    await running.stop();
    expect(bodies(running, "mock:after").length).toBe(200);
    expect(bodies(running, "mock:worked").length).toBe(200);
    expect(running.runtime.backlog()).toEqual([]);
  });
});

it("passes the failure of the other route to a waiting caller", async () => {
  const running = await run(`
- from:
    uri: direct:start
    steps:
      - to: seda:work
      - to: mock:after
- from:
    uri: seda:work
    steps:
      - throwException: {exceptionType: java.lang.IllegalArgumentException, message: boom}
`);
  expect((await running({ delivery: { pattern: "InOut" } })).error).toBe("boom");
  expect(bodies(running, "mock:after")).toEqual([]);
});

it("pollEnrich receives a message from a seda queue, or null when it is empty", async () => {
  const running = await run(`
- from:
    uri: direct:fill
    steps: [{to: {uri: "seda:box", pattern: InOnly}}]
- from:
    uri: direct:start
    steps:
      - pollEnrich: {constant: "seda:box", timeout: "0"}
      - to: mock:out
`);
  await running.send("direct:fill", { body: "boxed" });
  await running.send("direct:start", { body: "x" });
  await running.send("direct:start", { body: "x" });
  expect(bodies(running, "mock:out")).toEqual(["boxed", null]);
});

it.each([
  ["timer:t?delay=10&period=50&repeatCount=3", 3],
  ["scheduler:s?initialDelay=10&delay=50&repeatCount=2", 2],
  ["cron:c?schedule=0/1+*+*+*+*+?", 2],
  ["quartz:g/q?cron=0/1+*+*+*+*+?&triggerStartDelay=0&trigger.timeZone=UTC", 2],
])("triggers the route the expected number of times: %s", async (uri, ticks) => {
  const running = await run(`- from: {uri: "${uri}", steps: [{to: "mock:out"}]}`);
  await running.host.clock.advance(2500);
  expect(bodies(running, "mock:out")).toEqual(Array(ticks).fill(null));
});

it("copies files from one directory to another under the same name", async () => {
  const base = await folder();
  await writeFile(join(base, "in.txt"), "content");
  const running = await run(
    `
- from:
    uri: file:{{base}}?initialDelay=0&move=.done/\${file:name.noext}.old
    steps:
      - to: file:{{base}}/out
      - to: "file:{{base}}/out?fileName=copy-\${file:onlyname}"
      - to: mock:out
`,
    { base },
  );
  await waitForMessages(running, "mock:out", 1);
  await eventually(async () => (await readdir(base)).includes(".done"));
  expect(await readdir(join(base, "out"))).toEqual(["copy-in.txt", "in.txt"]);
  expect(await readFile(join(base, "out/in.txt"), "utf8")).toBe("content");
  expect(await readdir(join(base, ".done"))).toEqual(["in.old"]);
});

it("a log endpoint writes the headers and body of a message at its level", async () => {
  const running = await run(`- from: {uri: "direct:start", steps: [{to: {uri: log, parameters: {loggerName: orders, showHeaders: true, level: WARN}}}]}`);
  await running({ body: "x", headers: { a: 1 } });
  await settle();
  expect(running.host.log.records.filter(({ logger }) => logger === "orders").map(({ level, text }) => [level, text])).toEqual([
    ["WARN", "Exchange[Headers: {a=1}, BodyType: String, Body: x]"],
  ]);
});

it.each([
  ["cron:c?schedule=nonsense", /nonsense/],
  ["timer:t?period=soon", /soon/],
  ["timer:t?perod=5", /perod/],
  ["file:a/../../b", /must not contain/],
  ["mock:x", /mock/],
])("rejects the trigger %s", async (uri, message) => {
  await expect(flow(`- from: {uri: "${uri}", steps: [{to: "mock:out"}]}`, { connectors: otherConnectors })).rejects.toThrow(message);
});

describe("content of a message is never evaluated", () => {
  it("an expression in a file name from the message is rejected", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-templates-"));
    cleanUps.push(() => rm(folder, { recursive: true, force: true }));
    const running = await run(`
      - setVariable: {name: secret, constant: do-not-show}
      - toD: "file:${folder}?fileName=\${header.name}"
`);
    expect((await running({ body: "x", headers: { name: "${variable.secret}.txt" } })).error).toContain("rejected");
    expect((await running({ body: "x", headers: { name: "plain.txt" } })).error).toBeUndefined();
    expect(await readdir(folder)).toEqual(["plain.txt"]);
    const polling = await run(`- pollEnrich: {simple: "file:${folder}?fileName=\${header.name}", timeout: 100}`);
    expect((await polling({ body: "x", headers: { name: "${file:name}" } })).error).toContain("rejected");
    const choosing = await run(`- pollEnrich: {simple: "file:${folder}?noop=true&idempotent=true&idempotentRepository=\${header.name}", timeout: 100}`);
    expect(
      (await choosing({ body: "x", headers: { name: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository" } })).error,
    ).toContain("idempotentRepository");
  });
});
