import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const transform = (name: string): string => `org.apache.camel.component.kafka.transform.${name}`;

/** A route that calls one transform configured with bean properties. */
function withBean(type: string, properties: Readonly<Record<string, string>> = {}): string {
  return `
- beans:
    - name: change
      type: "#class:${type}"
      properties: ${JSON.stringify(properties)}
- from:
    uri: direct:start
    steps:
      - process: {ref: change}
`;
}

/** A route that calls one transform configured with exchange properties, as the public Kamelets do. */
function withProperties(type: string, properties: Readonly<Record<string, string>>): string {
  const set = Object.entries(properties).map(([name, value]) => `      - setProperty: {name: ${name}, constant: ${JSON.stringify(value)}}\n`);
  return `
- from:
    uri: direct:start
    steps:
${set.join("")}      - bean: "${type}"
`;
}

describe("field transforms", () => {
  it("can also be referenced by the class names of earlier catalogs", async () => {
    const run = await flow(withBean("org.apache.camel.kamelets.utils.transform.DropField", { field: "a" }));
    expect((await run({ body: '{"a":1,"b":2}' })).body).toEqual({ b: 2 });
    const key = await flow(withProperties("org.apache.camel.kamelets.utils.transform.kafka.ValueToKey", { fields: "a" }));
    expect((await key({ body: '{"a":1,"b":2}' })).headers["kafka.KEY"]).toEqual({ a: 1 });
  });

  it.each([
    ["DropField", { field: "a" }, { a: 1, b: 2 }, { b: 2 }],
    ["DropField", { field: "a" }, '{"a":1,"b":2}', { b: 2 }],
    ["ExtractField", { field: "a" }, { a: { deep: 1 }, b: 2 }, { deep: 1 }],
    ["InsertField", { field: "c", value: "v-${header.id}" }, { a: 1 }, { a: 1, c: "v-7" }],
    ["InsertField", { field: "c", value: "last" }, [1], [1, "last"]],
  ] as const)("%s with the bean properties %j", async (name, properties, body, expected) => {
    const run = await flow(withBean(transform(name), properties));
    expect((await run({ body, headers: { id: "7" } })).body).toEqual(expected);
  });

  it("extract a field into a header; in strict mode, into the body if the header is already set", async () => {
    const run = await flow(withBean(transform("ExtractField"), { field: "a", headerOutput: "true", headerOutputName: "found", strictHeaderCheck: "true" }));
    const first = await run({ body: { a: 5 } });
    expect([first.body, first.headers["found"]]).toEqual([{ a: 5 }, 5]);
    expect((await run({ body: { a: 6 }, headers: { found: 5 } })).body).toBe(6);
  });

  it.each([
    ["HoistField", { field: "wrapped" }, "text", { wrapped: "text" }],
    ["MaskField", { fields: "a,n,l,t" }, { a: "x", n: 4, l: [1], t: true, b: 1 }, { a: "", n: 0, l: [], t: false, b: 1 }],
    ["MaskField", { fields: "a,n", replacement: "9" }, { a: "x", n: 4 }, { a: "9", n: 9 }],
    ["ReplaceField", { renames: "a:z", disabled: "b" }, { a: 1, b: 2, c: 3 }, { z: 1, c: 3 }],
    ["ReplaceField", { renames: "a:z", enabled: "a" }, { a: 1, b: 2 }, { z: 1 }],
    ["ReplaceField", { enabled: "a" }, { a: 1, b: 2 }, { a: 1, b: 2 }],
  ] as const)("%s with the exchange properties %j", async (name, properties, body, expected) => {
    const run = await flow(withProperties(transform(name), properties));
    expect((await run({ body })).body).toEqual(expected);
  });

  it("create a key from fields", async () => {
    const run = await flow(withProperties(transform("ValueToKey"), { fields: "a,c" }));
    const { headers, body } = await run({ body: { a: 1, b: 2, c: 3 } });
    expect([headers["kafka.KEY"], body]).toEqual([
      { a: 1, c: 3 },
      { a: 1, b: 2, c: 3 },
    ]);
  });

  it("reject a body that is not JSON, and an invalid mask", async () => {
    expect((await (await flow(withBean(transform("DropField"), { field: "a" })))({ body: "plain" })).error).toContain("the body is not JSON");
    expect((await (await flow(withProperties(transform("ValueToKey"), { fields: "a" })))({ body: [1] })).error).toContain("a JSON array");
    const mask = await flow(withProperties(transform("MaskField"), { fields: "n", replacement: "x" }));
    expect((await mask({ body: { n: 1 } })).error).toContain("cannot be masked with 'x'");
  });
});

describe("topic routers", () => {
  it("rename a topic that matches completely", async () => {
    const run = await flow(withProperties(transform("RegexRouter"), { regex: "orders-(\\w+)", replacement: "all-$1" }));
    const { headers } = await run({ headers: { "kafka.TOPIC": "orders-eu", "ce-type": "orders-x" } });
    expect([headers["kafka.OVERRIDE_TOPIC"], headers["ce-type"]]).toEqual(["all-eu", "all-x"]);
    expect((await run({ headers: { "kafka.TOPIC": "my orders-eu" } })).headers["kafka.OVERRIDE_TOPIC"]).toBeUndefined();
  });

  const time = Date.UTC(2026, 4, 6, 23, 59, 1);
  it("add the time of a header to the topic", async () => {
    const run = await flow(
      withProperties(transform("TimestampRouter"), {
        topicFormat: "$[topic]-$[timestamp]",
        timestampFormat: "yyyyMMdd",
        timestampHeaderName: "kafka.TIMESTAMP",
      }),
    );
    expect((await run({ headers: { "kafka.TOPIC": "t$&", "kafka.TIMESTAMP": time } })).headers["kafka.OVERRIDE_TOPIC"]).toBe("t$&-20260506");
    expect((await run({ headers: { "kafka.TIMESTAMP": "soon" } })).error).toContain("'soon' is not a time in milliseconds since 1970");
  });

  it.each([
    ["yyyy-MM-dd HH:mm:ss", "2026-05-06 23:59:01", "t-2026-05-06T23"],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSX", "2026-05-06T23:59:01.500-02:00", "t-2026-05-07T01"],
    ["timestamp", time, "t-2026-05-06T23"],
  ])("add the time of a field to the topic: %s", async (format, value, topic) => {
    const run = await flow(
      withProperties(transform("MessageTimestampRouter"), {
        topicFormat: "$[topic]-$[timestamp]",
        timestampFormat: "yyyy-MM-dd'T'HH",
        timestampKeys: "missing,when",
        timestampKeyFormat: format,
      }),
    );
    expect((await run({ body: { when: value }, headers: { "kafka.TOPIC": "t" } })).headers["kafka.OVERRIDE_TOPIC"]).toBe(topic);
  });
});

describe("consumer beans", () => {
  it("turn headers into text when enabled", async () => {
    const type = "org.apache.camel.component.kafka.KafkaHeaderDeserializer";
    const input = { headers: { bytes: new TextEncoder().encode("abc"), n: 5, t: "x" } };
    expect((await (await flow(withBean(type, { enabled: "true" })))(input)).headers).toMatchObject({ bytes: "abc", n: "5", t: "x" });
    expect((await (await flow(withBean(type)))(input)).headers["n"]).toBe(5);
  });

  it("commit when the source sets the manual commit header", async () => {
    const run = await flow(withProperties("org.apache.camel.component.kafka.ManualCommit", {}));
    let commits = 0;
    const offset = { commit: () => void commits++ };
    expect((await run({ body: "a", headers: { CamelKafkaManualCommit: offset } })).body).toBe("a");
    expect((await run({ body: "b" })).body).toBe("b");
    expect(commits).toBe(1);
  });
});
