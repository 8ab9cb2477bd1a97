// Beans that the operator implements in JavaScript, called over HTTP from every step and expression that can name one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

const module = `
export const orders = {
  total(exchange) { return JSON.parse(text(exchange)).reduce((sum, { price }) => sum + price, 0); },
  async later(exchange) { return "later " + text(exchange); },
  isLarge: (exchange) => text(exchange).length > 5,
  both: (...args) => args.length + ":" + args.slice(0, -1).join("|") + ":" + typeof args.at(-1).message,
};
const text = (exchange) => new TextDecoder().decode(exchange.message.body instanceof Uint8Array ? exchange.message.body : new TextEncoder().encode(String(exchange.message.body)));
export class Greeter {
  #started = 0;
  constructor(properties) { if (properties.word === "no") throw new Error("'no' greets nobody"); this.word = properties.word ?? properties[0] ?? "Hi"; this.calls = 0; }
  start() { this.#started++; }
  greet(exchange) { this.calls++; return this.word + " " + text(exchange) + " " + this.calls + this.#started; }
  _private() { return "private"; }
}
export class Joined {
  aggregate(old, next) { if (old !== undefined) old.message.body += "+" + next.message.body; return old ?? next; }
  longest(old, next) { return old === undefined || String(next.message.body).length > String(old.message.body).length ? next.message.body : undefined; }
}
export const waiting = async (old, next) => old ?? next;
export class Upper { process(exchange) { exchange.message.body = text(exchange).toUpperCase(); } }
export class Seen { keys = new Set(); add(key) { return !this.keys.has(key) && !!this.keys.add(key); } contains(key) { return this.keys.has(key); } remove(key) { this.keys.delete(key); } confirm() {} }
export const byLength = (one, other) => String(one).length - String(other).length;
const dashed = () => "dashed";
export { dashed as "my-bean" };
`;

let folder: string;
let server: StartedServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-beans-"));
  writeFileSync(join(folder, "functions.mjs"), module);
  server = await startTestServer({ env: { SERVICE_FUNCTIONS: join(folder, "functions.mjs") } });
});
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
async function replyTo(steps: string, body: string, beans = "", headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const id = `bean-${++count}`;
  const reply = await server.putFlow(id, `${beans === "" ? "" : `- beans: [${beans}]\n`}- route: {id: ${id}, from: {uri: webhook, steps: [${steps}]}}\n`);
  if (reply.status !== 201) return `${reply.status} ${reply.json.error}`;
  return (await call(server.baseUrl, "POST", `/api/${id}`, body, headers)).text;
}

const prices = '[{"price": 10}, {"price": 32}]';
const greeter = (extra = ""): string => `{name: hello, type: "#class:com.acme.Greeter"${extra}}`;

describe("an operator function", () => {
  it.each([
    ["the step bean", "{bean: {ref: orders, method: total}}", prices, "42"],
    ["the step bean with a class", "{bean: {beanType: com.acme.Upper}}", "abc", "ABC"],
    ["an address", '{to: "bean:orders?method=total"}', prices, "42"],
    ["an address with parameters", "{to: {uri: bean:orders, parameters: {method: later}}}", "x", "later x"],
    ["an address of a class", '{to: "class:com.acme.Upper"}', "abc", "ABC"],
    ["a name that is not an identifier", '{to: "bean:my-bean"}', "abc", "dashed"],
    ["process with a class", '{process: {ref: "#class:com.acme.Upper"}}', "abc", "ABC"],
    ["a value in simple", '{setBody: {simple: "= ${bean:orders.total}, ${bean:orders?method=total}, ${bean:orders::total}"}}', prices, "= 42, 42, 42"],
    ["a value", "{setBody: {method: {ref: orders, method: total}}}", prices, "42"],
    ["a short value", "{setBody: {method: orders.total}}", prices, "42"],
    [
      "a condition",
      "{choice: {when: [{method: {ref: orders, method: isLarge}, steps: [{setBody: {constant: large}}]}], otherwise: {steps: [{setBody: {constant: small}}]}}}",
      "ab",
      "small",
    ],
    ["a condition in simple", '{filter: {simple: "${bean:orders.isLarge} == true", steps: [{setBody: {constant: large}}]}}', "abcdefg", "large"],
    ["arguments, then the exchange", `{bean: {ref: orders, method: "both(\${body}, 'a,b', 3, true)"}}`, "x", "5:x|a,b|3|true:object"],
  ])("is called by %s", async (_, step, body, expected) => {
    expect(await replyTo(step, body)).toBe(expected);
  });

  it("merges messages, as an object, by a method's name, or as a body", async () => {
    const split = (option: string): string => `{split: {tokenize: ",", ${option}, steps: [{transform: {simple: "<\${body}>"}}]}}`;
    expect(await replyTo(split("aggregationStrategy: '#class:com.acme.Joined'"), "a,bbb,cc")).toBe("<a>+<bbb>+<cc>");
    expect(await replyTo(split("aggregationStrategy: join, aggregationStrategyMethodName: longest"), "a,bbb,cc", "{name: join, type: com.acme.Joined}")).toBe(
      "<bbb>",
    );
    expect(await replyTo(split("aggregationStrategy: waiting"), "a,b")).not.toContain("<");
    await expect.poll(() => server.logText()).toContain("returns a promise, but messages are merged synchronously");
  });

  it("can be a comparator or a repository", async () => {
    expect(await replyTo('{sort: {tokenize: ",", comparator: byLength}}, {setBody: {simple: "${body[0]}"}}', "ccc,a,bb")).toBe("a");
    const once = "{idempotentConsumer: {header: key, idempotentRepository: seen, steps: [{setBody: {constant: fresh}}]}}";
    expect(
      (await server.putFlow("once", `- beans: [{name: seen, type: com.acme.Seen}]\n- route: {id: once, from: {uri: webhook, steps: [${once}]}}\n`)).status,
    ).toBe(201);
    const send = async (key: string): Promise<string> => (await call(server.baseUrl, "POST", "/api/once", "again", { key })).text;
    expect([await send("1"), await send("1"), await send("2")].map((text) => text === "fresh")).toEqual([true, false, true]);
  });
});

describe("an operator class", () => {
  it("has an object per flow, with the properties of the bean, started with the flow", async () => {
    const steps = "{bean: {ref: hello, method: greet}}, {bean: {ref: hello, method: greet}}";
    expect(await replyTo(steps, "Ada", greeter(", properties: {word: Hello}"))).toBe("Hello Hello Ada 11 21");
    expect(await replyTo("{bean: {ref: hello, method: greet}}", "Ada", greeter(", constructors: {0: Salve}"))).toBe("Salve Ada 11");
  });

  it("exposes only its methods, and reports errors", async () => {
    const refused = (method: string, extra?: string): Promise<string> => replyTo(`{bean: {ref: hello, method: ${method}}}`, "x", greeter(extra));
    expect(await refused("_private")).toMatch(/^422 .*unknown bean 'hello\._private': 'hello' has .*greet/);
    expect(await refused("constructor")).toMatch(/^422 .*unknown bean 'hello\.constructor'/);
    expect(await refused("greet", ", properties: {word: 'no'}")).toMatch(/^422 .*'no' greets nobody/);
    expect(await replyTo("{bean: {ref: orders}}", "x")).toMatch(/^422 .*'orders' needs a method: 'orders' has the methods total, later/);
  });
});

describe("data from a message", () => {
  it("never selects the function", async () => {
    expect(await replyTo('{toD: "bean:orders?method=${header.m}"}', prices, "", { m: "total" })).not.toBe("42");
    expect(await replyTo('{setHeader: {name: u, simple: "${header.m}"}}, {toD: "${header.u}"}', prices, "", { m: "bean:orders?method=total" })).not.toBe("42");
  });

  it("an expression does not wait for a promise", async () => {
    expect(await replyTo('{setBody: {simple: "${bean:orders.later}"}}', "x")).not.toContain("later x");
    await expect.poll(() => server.logText()).toContain("an expression cannot await: call it with the step bean");
  });
});

describe("while functions are edited", () => {
  it("a saved module is reloaded, an invalid one is not", async () => {
    const moduleFolder = mkdtempSync(join(tmpdir(), "sluice-reload-"));
    const file = join(moduleFolder, "functions.mjs");
    writeFileSync(file, `export const one = () => "first";`);
    const watchingServer = await startTestServer({ env: { SERVICE_FUNCTIONS: file }, limits: { watch: true } });
    const route = (id: string, bean: string): string => `- route: {id: ${id}, from: {uri: webhook, steps: [{bean: ${bean}}]}}\n`;
    const replyText = async (id: string): Promise<string> => (await call(watchingServer.baseUrl, "POST", `/api/${id}`, "")).text;
    const waitForReply = async (id: string, expected: string): Promise<void> => expect.poll(() => replyText(id)).toBe(expected);
    try {
      await watchingServer.putFlow("one", route("one", "one"));
      await waitForReply("one", "first");
      writeFileSync(file, `export const one = () => "second"; export const two = () => "two";`);
      await waitForReply("one", "second");
      const namesInCatalog = async (): Promise<readonly string[]> =>
        (await watchingServer.api("GET", "/catalog")).json.beans.flatMap(({ names }: { readonly names: readonly string[] }) => names);
      expect(await namesInCatalog()).toEqual(expect.arrayContaining(["one", "two"]));
      writeFileSync(file, `export const one = () => "renamed"; export const three = () => "three";`);
      await waitForReply("one", "renamed");
      expect(await namesInCatalog()).toEqual(expect.arrayContaining(["one", "three"]));
      writeFileSync(file, `export const one = () => "second"; export const two = () => "two";`);
      await waitForReply("one", "second");
      expect((await watchingServer.putFlow("two", route("two", "two"))).status).toBe(201);
      writeFileSync(file, `export const one = ( => "third";`);
      await expect.poll(() => watchingServer.logText()).toContain("the previous version stays active");
      expect([await replyText("one"), await replyText("two")]).toEqual(["second", "two"]);
      writeFileSync(file, `export const one = () => "fourth";`);
      await waitForReply("one", "fourth");
      // A flow whose function was removed keeps running unchanged, and reports the missing function.
      expect(await replyText("two")).toBe("two");
      expect((await watchingServer.api("GET", "/flows/two")).json.error).toContain("unknown bean 'two'");
    } finally {
      await watchingServer.end();
      rmSync(moduleFolder, { recursive: true, force: true });
    }
  });

  it("a module and a flow that change while the flows are loaded are loaded afterwards", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-late-"));
    const file = join(dataDir, "functions.mjs");
    const flow = join(dataDir, "routes/second.yaml");
    const route = (id: string, steps = "{bean: one}"): string => `- route: {id: ${id}, from: {uri: webhook, steps: [${steps}]}}\n`;
    mkdirSync(join(dataDir, "routes"));
    const withLate = `- beans: [{name: late, type: "#class:Late"}]\n${route("first", "{bean: {ref: late, method: answer}}, {bean: one}")}`;
    writeFileSync(join(dataDir, "routes/first.yaml"), withLate);
    writeFileSync(
      file,
      `import { writeFileSync } from "node:fs";
export const one = () => "old";
export class Late {
  constructor() {
    writeFileSync(${JSON.stringify(flow)}, ${JSON.stringify(route("second"))});
    writeFileSync(${JSON.stringify(file)}, "export const one = () => 'new'; export class Late { answer() {} }");
  }
  answer() {}
}`,
    );
    const lateServer = await startTestServer({ dataDir, env: { SERVICE_FUNCTIONS: file }, limits: { watch: true } });
    try {
      await expect.poll(async () => (await call(lateServer.baseUrl, "POST", "/api/second", "")).text).toBe("new");
      await expect.poll(async () => (await call(lateServer.baseUrl, "POST", "/api/first", "")).text).toBe("new");
    } finally {
      await lateServer.end();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
