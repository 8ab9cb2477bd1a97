// The small steps that set, remove and read parts of the message.
import type { Exchange } from "@sluice/engine/spi";
import { diagnosticsOf, flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

describe("names", () => {
  it("can be evaluated per message", async () => {
    const run = await flow(`
      - setHeader: {name: "h-\${body}", constant: a}
      - setProperty: {name: "p-\${body}", constant: b}
      - setVariable: {name: "v-\${body}", constant: c}
      - setVariable: {name: "global:g-\${body}", constant: d}
    `);
    const { headers, exchange } = await run({ body: "x" });
    expect([headers, exchange.property("p-x"), exchange.variable("v-x"), run.host.globals.get("g-x")]).toEqual([{ "h-x": "a" }, "b", "c", "d"]);
  });

  it("of headers ignore case and keep their first spelling; those of variables do not", async () => {
    const run = await flow(`
      - setHeader: {name: COLOR, constant: blue}
      - setVariable: {name: A, constant: "1"}
      - setVariable: {name: a, constant: "2"}
    `);
    const { headers, exchange } = await run({ headers: { Color: "red" } });
    expect(headers).toEqual({ Color: "blue" });
    expect([exchange.variable("A"), exchange.variable("a")]).toEqual(["1", "2"]);
  });

  it("of route variables must name the route", () => {
    expect(diagnosticsOf('- setVariable: {name: "route:x", constant: a}').join()).toContain("must name its route");
  });
});

describe("removing", () => {
  it.each([
    ["X-Trace", ["X-Trace-Id", "lang"]],
    ["x-*", ["lang"]],
    ["(X-Trace|lang)", ["X-Trace-Id"]],
    ["*", []],
    [".*Id", ["X-Trace", "lang"]],
  ])("headers like %s leaves %j", async (pattern, remaining) => {
    const run = await flow(`- removeHeaders: "${pattern}"`);
    const { headers } = await run({ headers: { "X-Trace": 1, "X-Trace-Id": 2, lang: 3 } });
    expect(Object.keys(headers)).toEqual(remaining);
  });

  it("rejects an invalid pattern", () => {
    expect(diagnosticsOf('- removeHeaders: "(a"')).not.toEqual([]);
  });

  it("* is not a wildcard in a single name; the name of a variable may have a scope", async () => {
    const run = await flow(`
      - removeHeader: "x*"
      - removeVariable: "global:g"
    `);
    run.host.globals.set("g", 1);
    expect((await run({ headers: { xa: 1 } })).headers).toEqual({ xa: 1 });
    expect(run.host.globals.size).toBe(0);
  });
});

describe("log", () => {
  it("uses the route as the logger name by default, and adds the marker", async () => {
    const run = await flow(`
      - log: "got \${body}"
      - log: {message: plain, loggingLevel: WARN, logName: shop, marker: audit}
      - log: {message: never, loggingLevel: OFF}
    `);
    const { exchange } = await run({ body: "x" });
    expect(run.host.log.records).toEqual([
      { level: "INFO", logger: "start", text: "got x", exchange, fields: undefined },
      { level: "WARN", logger: "shop", text: "plain", exchange, fields: { marker: "audit" } },
    ]);
  });

  it("does not evaluate the text when the level is disabled", async () => {
    const run = await flow(`- log: {message: "\${mandatoryBodyAs(Integer)}", loggingLevel: DEBUG}`);
    run.host.log.level = "INFO";
    expect((await run({ body: "x" })).error).toBeUndefined();
    run.host.log.level = "DEBUG";
    expect((await run({ body: "x" })).error).toBeDefined();
  });
});

describe("delay", () => {
  it.each([
    ["250", 250],
    ["1s", 1000],
    ["0", 0],
    ["-5", 0],
    ["", 0],
  ])("of '%s' lasts %i ms", async (text, ms) => {
    const run = await flow("- delay: {header: wait}");
    let done = false;
    const pending = run({ headers: { wait: text } }).then(() => (done = true));
    await run.host.clock.advance(Math.max(0, ms - 1));
    expect(done).toBe(ms === 0);
    await run.host.clock.advance(1);
    await pending;
    expect(run.host.clock.pending).toBe(0);
  });

  it("fails for an invalid duration", async () => {
    expect((await (await flow("- delay: {constant: soon}"))()).error).toContain("'soon' is not a valid duration");
  });
});

it("validate fails when its condition is false", async () => {
  const run = await flow(`- validate: {simple: "\${body} == 'ok'"}`);
  expect((await run({ body: "ok" })).error).toBeUndefined();
  const { exchange } = await run({ body: "no" });
  expect(exchange.failure?.type).toBe("org.apache.camel.support.processor.PredicateValidationException");
  expect(exchange.failure?.message).toContain("Validation failed for Predicate[");
});

it("filter stores its decision and continues either way", async () => {
  const run = await flow(`
    - filter: {simple: "\${body} == 'in'", statusPropertyName: passed, steps: [{setBody: {constant: changed}}]}
    - setHeader: {name: passed, exchangeProperty: passed}
  `);
  expect(await run({ body: "in" })).toMatchObject({ body: "changed", headers: { passed: true } });
  expect(await run({ body: "out" })).toMatchObject({ body: "out", headers: { passed: false } });
});

it("rollback fails with its literal text, or ends without a failure with markRollbackOnly", async () => {
  expect((await (await flow(`- rollback: "no \${body}"`))()).error).toBe("no ${body}");
  const quiet = await flow(`
    - rollback: {markRollbackOnly: true}
    - to: mock:after
  `);
  expect((await quiet({ body: "x" })).error).toBeUndefined();
  expect(quiet.mocks.size).toBe(0);
});

describe("operator functions", () => {
  it.each(["process: {ref: mark}", "bean: {ref: mark}", 'setHeader: {name: x, simple: "${function(mark)}"}'])(
    "%s changes the properties in place, without affecting other exchanges",
    async (step) => {
      const mark = (...args: unknown[]): void => {
        const { properties } = args.at(-1) as Exchange;
        (properties as Map<string, unknown>).set("seen", (properties as Map<string, unknown>).size);
      };
      const bean = { names: ["mark"], kind: "function", properties: {}, title: "", summary: "", group: "", since: "0.1", create: () => mark } as const;
      const run = await flow(`- ${step}\n- setBody: {simple: "\${exchangeProperty.seen}"}`, { beans: [bean] });
      const properties = new Map<string, unknown>([["who", "ada"]]);
      const bodies = [await run({ delivery: { properties } }), await run({ delivery: { properties } })].map(({ body }) => body);
      expect([bodies, [...properties]]).toEqual([[1, 1], [["who", "ada"]]]);
    },
  );
});
