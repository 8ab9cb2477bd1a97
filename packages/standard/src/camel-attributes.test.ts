// Attributes of Camel's YAML language: each is accepted, accepted with a warning, or rejected with a reason.
import { diagnosticsOf, flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const route = (...steps: readonly string[]): string => `- from: {uri: "direct:start", steps: [${steps.join(", ")}]}`;

describe("attributes that are accepted", () => {
  it.each([
    [
      "id of a circuit breaker's configuration",
      route("{circuitBreaker: {resilience4jConfiguration: {id: a, waitDurationInOpenState: 20s}, steps: [{log: x}]}}"),
    ],
    [
      "a named circuit breaker configuration",
      `- beans: [{name: cb, type: "#class:org.apache.camel.model.Resilience4jConfigurationDefinition", properties: {minimumNumberOfCalls: 2}}]
${route("{circuitBreaker: {configuration: cb, steps: [{log: x}]}}")}`,
    ],
    [
      "id of a redelivery policy",
      `- errorHandler: {deadLetterChannel: {deadLetterUri: "mock:d", executorServiceRef: e, loggerRef: l, redeliveryPolicy: {id: p, maximumRedeliveries: 1}}}
- onException: {exception: [java.lang.Exception], redeliveryPolicy: {id: q, maximumRedeliveries: 1}}
${route("{log: x}")}`,
    ],
    ["variableReceive of a tap", route('{wireTap: {uri: "mock:a", variableReceive: v}}')],
    ["headers with ids", route("{setHeaders: {headers: [{id: a, note: b, description: c, name: h, constant: 1}]}}")],
    ["variables with ids", route("{setVariables: {variables: [{id: a, note: b, description: c, name: h, constant: 1}]}}")],
    [
      "an aggregation repository in memory",
      route(
        '{aggregate: {correlationExpression: {constant: a}, completionSize: 2, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", aggregationRepository: "#class:org.apache.camel.processor.aggregate.MemoryAggregationRepository(true)", optimisticLockRetryPolicy: {id: o, maximumRetries: 5, retryDelay: 50}, steps: [{log: x}]}}',
      ),
    ],
    ["types with ids", '- route: {inputType: {urn: a, id: b, note: c}, from: {uri: "direct:start", steps: [{log: x}]}}'],
  ])("%s", (_title, yaml) => {
    expect(diagnosticsOf(yaml)).toEqual([]);
  });

  it("accepts constructor arguments of a bean", async () => {
    const strategy = "org.apache.camel.processor.aggregate.UseOriginalAggregationStrategy";
    const fail = "{throwException: {exceptionType: java.lang.Exception, message: boom}}";
    const split = (reference: string): string => `{split: {simple: "\${body}", aggregationStrategy: "${reference}", steps: [${fail}]}}`;
    expect((await (await flow(route(split(`#class:${strategy}`))))({ body: ["a"] })).error).toBe("boom");
    expect((await (await flow(route(split(`#class:${strategy}(true)`))))({ body: ["a"] })).error).toBe("boom");
    expect(await (await flow(route(split(`#class:${strategy}(false)`))))({ body: ["a"] })).toMatchObject({ error: undefined, body: ["a"] });
    const named = `- beans: [{name: s, type: "#class:${strategy}", constructors: {0: false}}]\n${route(split("s"))}`;
    expect((await (await flow(named))({ body: ["a"] })).error).toBeUndefined();
    expect(diagnosticsOf(route(split(`#class:${strategy}(true,false)`)))).toEqual([expect.stringContaining("takes at most 1 argument(s): propagateException")]);
    expect(diagnosticsOf(route(split(`#class:${strategy}(maybe)`)))).toEqual([expect.stringContaining("property 'propagateException'")]);
    expect(diagnosticsOf(route(split("#class:GroupedBodyAggregationStrategy(1)")))).toEqual([expect.stringContaining("takes no arguments")]);
  });

  it("reads nested properties of a bean by their full names", () => {
    const yaml = `- beans: [{name: s, type: "#class:org.apache.camel.processor.aggregate.StringAggregationStrategy", properties: {delimiter: ",", a: {b: [1, 2]}}}]
${route('{split: {simple: "${body}", aggregationStrategy: s, steps: [{log: x}]}}')}`;
    expect(diagnosticsOf(yaml)).toEqual([expect.stringContaining("has no property 'a.b[0]'")]);
  });

  it("sorts with a comparator", async () => {
    const sorted = async (comparator: string, body: unknown): Promise<unknown> =>
      (await (await flow(route(`{sort: {simple: "\${body}", comparator: "${comparator}"}}`)))({ body })).body;
    expect(await sorted("#class:java.util.Collections$ReverseComparator", [1, 3, 2])).toEqual([3, 2, 1]);
    expect(await sorted("#class:java.lang.String$CaseInsensitiveComparator", ["b", "A", "C"])).toEqual(["A", "b", "C"]);
    expect(diagnosticsOf(route('{sort: {simple: "${body}", comparator: "#mine"}}'))).toEqual([expect.stringContaining("unknown bean 'mine'")]);
  });

  it("creates the beans of a template for each templated route", async () => {
    const run = await flow(`
- routeTemplate:
    id: join
    parameters: [{name: from}, {name: by, defaultValue: "+"}]
    beans: [{name: how, type: "#class:org.apache.camel.processor.aggregate.StringAggregationStrategy", properties: {delimiter: "{{by}}"}}]
    from: {uri: "direct:{{from}}", steps: [{split: {simple: "\${body}", aggregationStrategy: "#bean:{{how}}", steps: [{log: x}]}}]}
- templatedRoute: {routeTemplateRef: join, routeId: one, parameters: [{name: from, value: start}]}
- templatedRoute: {routeTemplateRef: join, routeId: two, parameters: [{name: from, value: two}, {name: by, value: "-"}]}
- templatedRoute:
    routeTemplateRef: join
    routeId: three
    parameters: [{name: from, value: three}]
    beans: [{name: how, type: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"}]
`);
    expect((await run({ body: ["a", "b"] })).body).toBe("a+b");
    expect((await run.send("direct:two", { body: ["a", "b"] })).body).toBe("a-b");
    expect((await run.send("direct:three", { body: ["a", "b"] })).body).toEqual(["a", "b"]);
  });

  it("omits a disabled header", async () => {
    const run = await flow(route("{setHeaders: {headers: [{name: a, constant: 1, disabled: true}, {name: b, constant: 2}]}}"));
    expect((await run()).headers).toEqual({ b: "2" });
  });

  it("opens a circuit that stays half-open for too long", async () => {
    const run = await flow(
      route(
        `{circuitBreaker: {resilience4jConfiguration: {minimumNumberOfCalls: 1, slidingWindowSize: 1, waitDurationInOpenState: 1s, maxWaitDurationInHalfOpenState: 5s, permittedNumberOfCallsInHalfOpenState: 2}, steps: [{filter: {simple: "\${body} == 'bad'", steps: [{throwException: {exceptionType: java.lang.Exception, message: no}}]}}], onFallback: {steps: [{setBody: {constant: instead}}]}}}`,
        '{setBody: {simple: "${body} ${exchangeProperty.CamelCircuitBreakerState}"}}',
      ),
    );
    const state = async (body: string): Promise<unknown> => (await run({ body, delivery: {} })).body;
    expect(await state("bad")).toBe("instead OPEN");
    await run.host.clock.advance(1000);
    expect(await state("good")).toBe("good HALF_OPEN");
    await run.host.clock.advance(5000);
    expect(await state("good")).toBe("instead OPEN");
  });
});

describe("attributes that are accepted with a warning, because they have no effect", () => {
  it.each([
    ["route policies", '- route: {routePolicyRef: p, from: {uri: "direct:start", steps: [{log: x}]}}', "route policies are Java objects"],
    ["error handler beans", '- route: {errorHandlerRef: h, from: {uri: "direct:start", steps: [{log: x}]}}', "errorHandlerRef names a Java bean"],
    [
      "transformers",
      `- transformers: {dataFormatTransformer: {fromType: a, toType: b, json: {}}, endpointTransformer: {uri: "direct:x"}}\n${route("{log: x}")}`,
      "transformers have no effect",
    ],
    ["validators", `- validators: {predicateValidator: {type: a, simple: "\${body} != null"}}\n${route("{log: x}")}`, "validators have no effect"],
  ])("%s", (_title, yaml, warning) => {
    expect(diagnosticsOf(yaml)).toEqual([expect.stringContaining(warning)]);
  });
});

describe("attributes that are rejected by name, with a reason", () => {
  it.each([
    [route('{multicast: {onPrepare: "#x", steps: [{log: x}]}}'), "option 'onPrepare' of step 'multicast': onPrepare refers to a Java processor"],
    [route('{split: {simple: "${body}", watermarkKey: k, steps: [{log: x}]}}'), "watermarks need a resume strategy"],
    [route('{enrich: {constant: "direct:x", aggregationStrategyMethodName: m}}'), "aggregationStrategyMethodName requires aggregationStrategy"],
    [route("{circuitBreaker: {faultToleranceConfiguration: {delay: 5}, steps: [{log: x}]}}"), "faultToleranceConfiguration is for MicroProfile"],
    [route("{saga: {sagaService: s, steps: [{log: x}]}}"), "sagas are coordinated in memory"],
    [`- beans: [{name: a, type: "#class:StringAggregationStrategy", factoryMethod: m}]\n${route("{log: x}")}`, "factoryMethod refers to a Java method"],
    [`- errorHandler: {jtaTransactionErrorHandler: {}}\n${route("{log: x}")}`, "Sluice has no transaction manager"],
    [`- errorHandler: {defaultErrorHandler: {retryWhileRef: r}}\n${route("{log: x}")}`, "use retryWhile in an onException"],
  ])("%s", (yaml, reason) => {
    expect(diagnosticsOf(yaml)).toEqual([expect.stringContaining(reason)]);
  });
});

describe("names and values that changed between Camel versions", () => {
  const breaker = (options: string): string => route(`{circuitBreaker: {resilience4jConfiguration: {${options}}, steps: [{log: x}]}}`);

  it.each(["waitDurationInOpenState", "slowCallDurationThreshold"])("%s warns about a small number without a unit", (option) => {
    expect(diagnosticsOf(breaker(`${option}: 20`))).toEqual([expect.stringContaining("20 means 20 ms; before Camel 4.22 it meant 20 seconds: write 20s")]);
    for (const written of ["20s", "20ms", "20000", "0"]) expect(diagnosticsOf(breaker(`${option}: ${written}`))).toEqual([]);
  });

  it("rejects kebab-case names, as Camel does, with the version and the current name", () => {
    expect(diagnosticsOf(route("{set-body: {constant: x}}"))).toEqual(["1: names such as 'set-body' were removed in Camel 4.13 (write 'setBody')"]);
    expect(diagnosticsOf(`- on-exception: {exception: [java.lang.Exception], handled: {constant: "true"}}\n${route("{log: x}")}`)).toEqual([
      "1: names such as 'on-exception' were removed in Camel 4.13 (write 'onException')",
    ]);
    expect(diagnosticsOf(route("{no-such: {}}"))).toEqual([expect.stringContaining("unknown step 'no-such'")]);
  });
});
