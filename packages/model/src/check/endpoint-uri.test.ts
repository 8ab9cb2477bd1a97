import { expect, test } from "vitest";
import { f } from "../schema/field.ts";
import { bindEndpoint, schemeOf } from "./endpoint-uri.ts";
import type { EndpointShape } from "./endpoint-uri.ts";

const name = f.string({ doc: "", required: true });
const timer: EndpointShape = {
  scheme: "timer",
  syntax: "timer:timerName",
  path: { timerName: name },
  options: {
    period: f.duration({ doc: "", default: 1000 }),
    fixedRate: f.boolean({ doc: "" }),
    initialDelay: f.duration({ doc: "" }),
    schedule: f.string({ doc: "" }),
  },
};
const http: EndpointShape = {
  scheme: "http",
  syntax: "http://host:port/path",
  path: { host: name, port: f.integer({ doc: "" }), path: f.string({ doc: "" }) },
  options: { password: f.string({ doc: "", secret: true }), timeout: f.duration({ doc: "" }), methods: f.list(f.string({ doc: "" }), { doc: "" }) },
  lenient: true,
};
const language: EndpointShape = {
  scheme: "language",
  syntax: "language:languageName:resource",
  path: { languageName: name, resource: f.text({ doc: "" }) },
  options: {},
};

const bind = (uri: string, shape: EndpointShape, parameters: Record<string, string> = {}) => bindEndpoint({ uri, parameters }, shape);

test("path, options and defaults are bound, and the URI is normalized", () => {
  const bound = bind("timer://tick?period=5s&fixedRate=TRUE", timer);
  expect(bound.problems).toEqual([]);
  expect(bound.values).toEqual({ timerName: "tick", period: 5000, fixedRate: true });
  expect(bound.uri).toBe("timer:tick?fixedRate=TRUE&period=5s");
  expect(bound.path).toBe("tick");
});

test("a bare scheme takes its path from the parameters", () => {
  const bound = bind("timer", timer, { timerName: "tick", period: "1m" });
  expect(bound).toMatchObject({ problems: [], values: { timerName: "tick", period: 60_000 }, path: "tick", uri: "timer:tick?period=1m" });
  const built = bind("http", http, { host: "erp", port: "8080", path: "orders/1" });
  expect(built).toMatchObject({
    problems: [],
    path: "erp:8080/orders/1",
    uri: "http://erp:8080/orders/1",
    values: { host: "erp", port: 8080, path: "orders/1" },
  });
});

test("kebab-case option names are accepted", () => expect(bind("timer:t?initial-delay=5", timer).values).toMatchObject({ initialDelay: 5 }));

test("values are percent-decoded, RAW ones are not", () => {
  expect(bind("timer:t?schedule=0+0%2F5+*%20%C3%A9", timer).values["schedule"]).toBe("0 0/5 * é");
  expect(bind("timer:t?schedule=RAW(a&b=c+%20)&period=1", timer).values).toMatchObject({ schedule: "a&b=c+%20", period: 1 });
  expect(bind("timer:t?schedule=RAW{x)&y}", timer).values["schedule"]).toBe("x)&y");
  expect(bind("timer:t?schedule=100%", timer).values["schedule"]).toBe("100%");
  expect(bind("timer", timer, { timerName: "t", schedule: "RAW(a+b)" }).values["schedule"]).toBe("a+b");
  expect(bind("timer", timer, { timerName: "t", schedule: "a+b%20" }).values["schedule"]).toBe("a+b%20");
});

test.each([
  ["http://erp/orders", { host: "erp", path: "orders" }],
  ["http:erp:8080", { host: "erp", port: 8080 }],
  ["http://erp:8080/a:b/c", { host: "erp", port: 8080, path: "a:b/c" }],
  ["http://erp/a:b", { host: "erp", path: "a:b" }],
  ["http://[::1]:81/x", { host: "[::1]", port: 81, path: "x" }],
  ["http://me:pw@erp:82/x%2Fy", { host: "me:pw@erp", port: 82, path: "x%2Fy" }],
])("%s is split by the syntax", (uri, values) => expect(bind(uri, http)).toMatchObject({ problems: [], values }));

test("the path of a language endpoint is split into language and script", () => {
  expect(bind("language:simple:Hello%20${body}: x", language).values).toEqual({ languageName: "simple", resource: "Hello ${body}: x" });
  expect(bind("language:simple", language).values).toEqual({ languageName: "simple" });
});

test("secrets are masked", () => {
  const bound = bind("http://me:hunter2@erp/x?password=hunter2&apiKey=hunter2&q=1", http);
  expect(bound.uri).toBe("http://me:xxxxxx@erp/x?apiKey=xxxxxx&password=xxxxxx&q=1");
  expect(bound.values["password"]).toBe("hunter2");
  expect(bound.extra).toEqual(Object.assign(Object.create(null), { apiKey: "hunter2", q: "1" }));
  const wrong = bindEndpoint(
    { uri: "x:y?pin=hunter2", parameters: {} },
    { scheme: "x", syntax: "x:y", path: { y: name }, options: { pin: f.integer({ doc: "", secret: true }) } },
  );
  expect(JSON.stringify(wrong.problems)).not.toContain("hunter2");
  expect(wrong.problems).toHaveLength(1);
});

test("a list option is split at commas", () => expect(bind("http:erp?methods=GET, POST", http).values["methods"]).toEqual(["GET", "POST"]));

test.each([
  ["timer:t?perid=5", "endpoint-option-unknown", "endpoint 'timer' has no option 'perid' (did you mean 'period'?)"],
  ["timer:t?period=soon", "endpoint-option-invalid", "option 'period' of endpoint 'timer': expected a duration such as 500, 10s or 1m30s, got 'soon'"],
  ["timer", "endpoint-option-missing", "endpoint 'timer' needs 'timerName'"],
  ["timer:t?period=1&period=2", "endpoint-option-duplicate", "endpoint 'timer' has the option 'period' twice: keep one of them"],
  ["timer:t?period=1&initial-delay=2&initialDelay=3", "endpoint-option-duplicate", "endpoint 'timer' has the option 'initialDelay' twice: keep one of them"],
  ["timer:t?period", "endpoint-uri-invalid", "the uri of endpoint 'timer' is not valid: the option 'period' has no value"],
  ["timer:t?period=1&", "endpoint-uri-invalid", "the uri of endpoint 'timer' is not valid: it ends with '&'"],
  ["timer:t?timerName=u", "endpoint-option-duplicate", "endpoint 'timer' has 'timerName' both in its path and in its options: keep one of them"],
  [
    "timer:t?__proto__=1",
    "endpoint-option-unknown",
    "endpoint 'timer' has no option '__proto__' (allowed: fixedRate, initialDelay, period, schedule, timerName)",
  ],
])("%s is rejected", (uri, code, message) => expect(bind(uri, timer).problems.map((problem) => [problem.code, problem.message])).toEqual([[code, message]]));

test("the hint for a missing part of the path is the syntax", () => expect(bind("timer", timer).problems[0]?.hint).toBe("write the uri as timer:timerName"));

const fillers = Array.from({ length: 20 }, (_, index) => `filler${10 + index}`);
const jms: EndpointShape = {
  scheme: "jms",
  syntax: "jms:destinationName",
  path: { destinationName: name },
  options: {
    concurrentConsumers: f.integer({ doc: "" }),
    maxConcurrentConsumers: f.integer({ doc: "" }),
    requestTimeout: f.duration({ doc: "" }),
    destinationResolver: f.unsupported("it needs a Java object"),
    ...Object.fromEntries(fillers.map((filler) => [filler, f.string({ doc: "" })])),
  },
};

test.each([
  ["requestTimeot", "did you mean 'requestTimeout'?"],
  ["timeout", "did you mean 'requestTimeout'?"],
  ["consumers", "did you mean 'concurrentConsumers'?"],
  ["concurrency", "did you mean 'concurrentConsumers'?"],
  ["resolver", `allowed: concurrentConsumers, destinationName, ${fillers.slice(0, 16).join(", ")} and 6 more`],
])("an endpoint with many options suggests a name for '%s', or lists complete names", (option, hint) =>
  expect(bind(`jms:orders?${option}=1`, jms).problems).toMatchObject([{ code: "endpoint-option-unknown", hint }]),
);

test("a query and parameters together are rejected", () => expect(bind("timer:t?period=1", timer, { fixedRate: "true" }).problems[0]?.code).toBe("uri-twice"));

test.each([
  ["methdNames", false, "did you mean 'methodNames'?"],
  ["methodNmaes", false, "did you mean 'methodNames'?"],
  ["METHODNAMES", false, undefined],
  ["methodnames", false, undefined],
  ["method-names", false, undefined],
  ["userNames", false, undefined],
  ["timeout1", false, undefined],
  ["methdNames", true, undefined],
])("'%s' in the query of a lenient connector, part of which is computed: %s", (name, isComputed, hint) => {
  const shape = { ...http, options: { ...http.options, methodNames: f.string({ doc: "" }) }, isComputed };
  expect(bind(`http:erp?${name}=1`, shape).problems).toMatchObject(hint === undefined ? [] : [{ code: "endpoint-option-unknown", hint, option: name }]);
});

test("names of Object.prototype are plain options of a lenient connector", () => {
  const bound = bind("http:erp?__proto__=1&constructor=2", http);
  expect(Object.keys(bound.extra)).toEqual(["__proto__", "constructor"]);
  expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
});

test.each([
  ["direct:a", "direct"],
  ["timer", "timer"],
  ["log?x=1", "log"],
  ["platform-http:/x", "platform-http"],
  ["", ""],
  [":x", ""],
  ["${header.x}", ""],
])("the scheme of %s is '%s'", (uri, scheme) => expect(schemeOf(uri)).toBe(scheme));
