// A vocabulary for the tests of the model: the shapes of Camel's steps without implementations.
import { f } from "../schema/field.ts";
import type { Fields } from "../schema/field.ts";
import type { Described, EntityShape, FormatShape, LanguageShape, StepShape, Vocabulary } from "../schema/shape.ts";

const metadata: Described = { title: "", summary: "", group: "test", since: "0.1" };
const text = (required = false) => (required ? f.string({ doc: "", required: true }) : f.string({ doc: "" }));
const flag = f.boolean({ doc: "" });
const integer = f.integer({ doc: "" });
const time = f.duration({ doc: "" });
const inline = f.expression({ doc: "", inline: true, required: true });
const optionalInline = f.expression({ doc: "", inline: true });
const value = f.expression({ doc: "" });
const steps = f.steps({ doc: "" });
const endpoint = { uri: f.uri({ doc: "", required: true }), parameters: f.parameters({ doc: "" }) };
const flags = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, flag]));
const texts = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, text()]));
const times = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, time]));
const numbers = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, f.number({ doc: "" })]));

function byName<T extends { readonly name: string }>(shapes: readonly T[]): ReadonlyMap<string, T> {
  return new Map(shapes.map((shape) => [shape.name, shape]));
}

function step(name: string, options: Fields, more: Partial<StepShape> = {}): StepShape {
  return { ...metadata, name, options, ...more };
}

const block = { adoptsSiblings: true } as const;
const parallel = {
  ...flags("parallelProcessing", "streaming", "stopOnException", "shareUnitOfWork", "synchronous", "parallelAggregate", "aggregationStrategyMethodAllowNull"),
  ...times("timeout"),
  ...texts("aggregationStrategy", "executorService"),
};
const level = f.enum(["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"], { doc: "" });
const pattern = f.enum(["InOnly", "InOut"], { doc: "" });
const strings = f.list(f.string({ doc: "" }), { doc: "" });
const caught = f.list(f.string({ doc: "" }), { doc: "", required: true });
const policy = f.object(
  {
    ...numbers("maximumRedeliveries", "backOffMultiplier", "collisionAvoidanceFactor"),
    ...times("redeliveryDelay", "maximumRedeliveryDelay"),
    ...flags(
      "useExponentialBackOff",
      "useCollisionAvoidance",
      "asyncDelayedRedelivery",
      "disableRedelivery",
      "allowRedeliveryWhileStopping",
      "logStackTrace",
      "logExhausted",
      "logRetryAttempted",
      "logHandled",
      "logNewException",
      "logContinued",
    ),
    ...texts("delayPattern", "retryAttemptedLogLevel", "retriesExhaustedLogLevel"),
  },
  { doc: "" },
);
const handlerOptions = {
  redeliveryPolicy: policy,
  ...flags("useOriginalMessage", "useOriginalBody", "deadLetterHandleNewException"),
  ...texts("logName", "level"),
};
const named = { name: text(true), expression: inline };
const variables = texts("variableSend", "variableReceive");

const shapes: readonly StepShape[] = [
  step(
    "log",
    { message: f.text({ doc: "", required: true }), loggingLevel: level, logName: text(), marker: text(), logLanguage: text(), logger: text() },
    { shorthand: "message" },
  ),
  step("to", { ...endpoint, pattern, ...variables }, { shorthand: "uri" }),
  step(
    "toD",
    {
      ...endpoint,
      pattern,
      ...variables,
      ...flags("ignoreInvalidEndpoint", "allowOptimisedComponents", "autoStartComponents"),
      cacheSize: integer,
      allowedSchemes: text(),
    },
    { shorthand: "uri" },
  ),
  step("poll", { ...endpoint, timeout: time, variableReceive: text() }, { shorthand: "uri" }),
  step("wireTap", { ...endpoint, ...flags("copy", "dynamicUri", "ignoreInvalidEndpoint"), ...variables }),
  ...["setBody", "transform", "validate", "script", "throttle", "delay", "sort"].map((name) =>
    step(name, {
      expression: name === "sort" ? optionalInline : inline,
      ...flags("asyncDelayed", "callerRunsWhenRejected", "rejectExecution"),
      ...texts("mode", "comparator"),
      timePeriodMillis: time,
      totalRequestsMode: text(),
      correlationExpression: value,
    }),
  ),
  ...["setHeader", "setProperty", "setVariable"].map((name) => step(name, named)),
  step("setHeaders", { headers: f.list(f.object(named, { doc: "" }), { doc: "", required: true }) }),
  step("setVariables", { variables: f.list(f.object(named, { doc: "" }), { doc: "", required: true }) }),
  ...["removeHeader", "removeProperty", "removeVariable"].map((name) => step(name, { name: text(true) }, { shorthand: "name" })),
  ...["removeHeaders", "removeProperties"].map((name) => step(name, { pattern: text(true), excludePattern: text() }, { shorthand: "pattern" })),
  step("convertBodyTo", { type: text(true), charset: text(), mandatory: flag }, { shorthand: "type" }),
  ...["convertHeaderTo", "convertVariableTo"].map((name) =>
    step(name, { name: text(true), type: text(true), toName: text(), charset: text(), mandatory: flag }),
  ),
  step("marshal", { dataFormat: f.format({ doc: "", required: true }), ...variables }),
  step("unmarshal", { dataFormat: f.format({ doc: "", required: true }), ...variables, allowNullBody: flag }),
  step("setExchangePattern", { pattern: f.enum(["InOnly", "InOut"], { doc: "", required: true }) }, { shorthand: "pattern" }),
  step("claimCheck", {
    operation: f.enum(["Set", "Get", "GetAndRemove", "Push", "Pop"], { doc: "", required: true }),
    key: text(),
    filter: text(),
    aggregationStrategy: text(),
  }),
  step("stop", {}),
  step("throwException", { exceptionType: text(), message: text(), ref: text() }),
  step("rollback", { message: text(), ...flags("markRollbackOnly", "markRollbackOnlyLast") }, { shorthand: "message" }),
  step("process", { ref: text(true) }),
  step("choice", {
    when: f.list(f.object({ expression: inline, steps }, { doc: "" }), { doc: "" }),
    otherwise: f.object({ steps }, { doc: "" }),
    precondition: flag,
  }),
  step("filter", { expression: inline, steps, statusPropertyName: text() }, block),
  step("multicast", { ...parallel, steps }, block),
  step("recipientList", { ...parallel, expression: inline, delimiter: text(), ignoreInvalidEndpoints: flag, cacheSize: integer, allowedSchemes: text() }),
  step(
    "routingSlip",
    { expression: inline, uriDelimiter: text(), ignoreInvalidEndpoints: flag, cacheSize: integer, allowedSchemes: text() },
    { shorthand: "header" },
  ),
  step("dynamicRouter", { expression: inline, uriDelimiter: text(), ignoreInvalidEndpoints: flag, cacheSize: integer, allowedSchemes: text() }),
  step("loop", { expression: inline, steps, ...flags("doWhile", "copy", "breakOnShutdown") }, block),
  step("split", { ...parallel, expression: inline, steps, delimiter: f.text({ doc: "" }), ...numbers("group", "maxFailedRecords", "errorThreshold") }, block),
  step(
    "aggregate",
    {
      aggregationStrategy: text(true),
      correlationExpression: f.expression({ doc: "", required: true }),
      completionPredicate: value,
      completionSizeExpression: value,
      completionTimeoutExpression: value,
      ...numbers("completionSize", "closeCorrelationKeyOnCompletion"),
      ...times("completionTimeout", "completionInterval", "completionTimeoutCheckerInterval"),
      ...flags(
        "eagerCheckCompletion",
        "ignoreInvalidCorrelationKeys",
        "discardOnCompletionTimeout",
        "discardOnAggregationFailure",
        "forceCompletionOnStop",
        "completeAllOnStop",
        "parallelProcessing",
        "completionFromBatchConsumer",
        "completionOnNewCorrelationGroup",
        "optimisticLocking",
      ),
      steps,
    },
    block,
  ),
  step(
    "resequence",
    {
      expression: inline,
      steps,
      streamConfig: f.object({ ...numbers("capacity"), ...times("timeout", "deliveryAttemptInterval"), rejectOld: flag }, { doc: "" }),
      batchConfig: f.object(
        { ...numbers("batchSize"), ...times("batchTimeout"), ...flags("reverse", "allowDuplicates", "ignoreInvalidExchanges") },
        { doc: "" },
      ),
    },
    block,
  ),
  step(
    "idempotentConsumer",
    { idempotentRepository: text(true), expression: inline, steps, ...flags("eager", "skipDuplicate", "removeOnFailure", "completionEager") },
    block,
  ),
  ...["enrich", "pollEnrich"].map((name) =>
    step(name, {
      expression: inline,
      ...texts("aggregationStrategy", "allowedSchemes", "variableReceive"),
      ...flags("aggregateOnException", "shareUnitOfWork", "ignoreInvalidEndpoint"),
      timeout: time,
      cacheSize: integer,
    }),
  ),
  step("sample", { samplePeriod: time, messageFrequency: integer }, { shorthand: "samplePeriod" }),
  step("threads", {
    ...numbers("poolSize", "maxPoolSize", "maxQueueSize", "keepAliveTime"),
    ...texts("rejectedPolicy", "threadName", "executorService"),
    ...flags("allowCoreThreadTimeOut", "callerRunsWhenRejected"),
  }),
  step("pipeline", { steps }, block),
  step("step", { steps }, block),
  step(
    "loadBalance",
    {
      roundRobinLoadBalancer: f.object({}, { doc: "" }),
      randomLoadBalancer: f.object({}, { doc: "" }),
      topicLoadBalancer: f.object({}, { doc: "" }),
      stickyLoadBalancer: f.object({ correlationExpression: value }, { doc: "" }),
      weightedLoadBalancer: f.object({ distributionRatio: text(true), roundRobin: flag, distributionRatioDelimiter: text() }, { doc: "" }),
      failoverLoadBalancer: f.object({ exception: strings, maximumFailoverAttempts: integer, ...flags("roundRobin", "sticky") }, { doc: "" }),
      steps,
    },
    block,
  ),
  step("doTry", {
    steps,
    doCatch: f.list(f.object({ exception: caught, onWhen: value, steps }, { doc: "" }), { doc: "" }),
    doFinally: f.object({ steps }, { doc: "" }),
  }),
  step("circuitBreaker", {
    steps,
    onFallback: f.object({ steps, fallbackViaNetwork: flag }, { doc: "" }),
    resilience4jConfiguration: f.object(
      {
        ...numbers(
          "failureRateThreshold",
          "minimumNumberOfCalls",
          "slidingWindowSize",
          "permittedNumberOfCallsInHalfOpenState",
          "slowCallRateThreshold",
          "bulkheadMaxConcurrentCalls",
          "bulkheadMaxWaitDuration",
        ),
        ...times("waitDurationInOpenState", "slowCallDurationThreshold", "timeoutDuration"),
        ...flags("timeoutEnabled", "bulkheadEnabled", "throwExceptionWhenHalfOpenOrOpenState", "automaticTransitionFromOpenToHalfOpenEnabled"),
        slidingWindowType: text(),
        recordException: strings,
        ignoreException: strings,
      },
      { doc: "" },
    ),
  }),
  step(
    "saga",
    {
      ...texts("propagation", "completionMode"),
      timeout: time,
      compensation: f.object({ uri: f.uri({ doc: "", required: true }) }, { doc: "", shorthand: "uri" }),
      completion: f.object({ uri: f.uri({ doc: "", required: true }) }, { doc: "", shorthand: "uri" }),
      option: f.list(f.object({ key: text(true), expression: inline }, { doc: "" }), { doc: "" }),
      steps,
    },
    block,
  ),
];

const typed = { resultType: text(), trim: flag };
const language = (name: string, options: Fields = {}, textKey?: string): LanguageShape => ({
  ...metadata,
  name,
  options: { ...typed, ...options },
  ...(textKey === undefined ? {} : { textKey }),
});
const source = texts("source");
const languages: readonly LanguageShape[] = [
  language("simple", { pretty: flag, nested: flag, trimResult: flag }),
  language("constant"),
  language("header"),
  language("exchangeProperty"),
  language("variable"),
  language(
    "tokenize",
    { ...source, ...texts("endToken", "group", "groupDelimiter", "inheritNamespaceTagName"), ...flags("regex", "xml", "includeTokens", "skipFirst") },
    "token",
  ),
  language("jsonpath", { ...source, ...flags("suppressExceptions", "allowSimple", "allowEasyPredicate", "writeAsString", "unpackArray"), option: text() }),
  language("jq", source),
  language("xpath", {
    ...source,
    namespace: f.list(f.object({ key: text(true), value: text(true) }, { doc: "" }), { doc: "" }),
    ...flags("saxon", "logNamespaces"),
    resultQName: text(),
  }),
  language("language", { language: text(true) }),
  language("ref"),
];

const formats: readonly FormatShape[] = [
  { ...metadata, name: "json", options: { library: text(), ...flags("prettyPrint", "useList", "contentTypeHeader"), unmarshalType: text(), include: text() } },
  {
    ...metadata,
    name: "csv",
    options: {
      ...texts("delimiter", "recordSeparator", "quote", "quoteMode", "nullString"),
      header: f.list(f.string({ doc: "" }), { doc: "" }),
      ...flags(
        "useMaps",
        "skipHeaderRecord",
        "quoteDisabled",
        "useOrderedMaps",
        "captureHeaderRecord",
        "lazyLoad",
        "trim",
        "ignoreEmptyLines",
        "headerDisabled",
        "trailingDelimiter",
        "ignoreSurroundingSpaces",
      ),
    },
  },
  { ...metadata, name: "base64", options: { urlSafe: flag, ...texts("lineSeparator"), lineLength: integer } },
  { ...metadata, name: "custom", options: { ref: text(true) } },
  ...["yaml", "jacksonXml", "gzipDeflater", "zipDeflater", "zipFile"].map((name): FormatShape => ({
    ...metadata,
    name,
    options: { prettyPrint: flag, ...texts("unmarshalType"), usingIterator: flag },
  })),
];

const onException: Fields = {
  exception: caught,
  onWhen: value,
  retryWhile: value,
  redeliveryPolicy: policy,
  handled: value,
  continued: value,
  ...flags("useOriginalMessage", "useOriginalBody"),
  steps,
};
const onCompletion: Fields = {
  ...flags("onCompleteOnly", "onFailureOnly", "useOriginalMessage", "parallelProcessing"),
  onWhen: value,
  mode: f.enum(["AfterConsumer", "BeforeConsumer"], { doc: "" }),
  steps,
};
const intercept: Fields = { onWhen: value, steps };
const interceptFrom: Fields = { uri: text(), onWhen: value, steps };
const interceptSend: Fields = { uri: text(true), ...flags("skipSendToOriginalEndpoint"), afterUri: text(), onWhen: value, steps };
const errorHandler: Fields = {
  defaultErrorHandler: f.object(handlerOptions, { doc: "" }),
  deadLetterChannel: f.object({ ...handlerOptions, deadLetterUri: f.uri({ doc: "", required: true }) }, { doc: "" }),
  noErrorHandler: f.object({}, { doc: "" }),
  refErrorHandler: f.object({ ref: text(true) }, { doc: "", shorthand: "ref" }),
};
const wrapped = (name: string, fields: Fields) => f.list(f.object({ [name]: f.object(fields, { doc: "", required: true }) }, { doc: "" }), { doc: "" });
const verb = f.list(
  f.object(
    {
      ...texts("id", "path", "description", "produces", "consumes", "type", "outType", "bindingMode"),
      to: f.object({ uri: f.uri({ doc: "", required: true }), parameters: f.parameters({ doc: "" }) }, { doc: "", shorthand: "uri" }),
      param: f.list(f.object({ ...texts("name", "type", "dataType", "defaultValue", "description"), required: flag }, { doc: "" }), { doc: "" }),
      responseMessage: f.list(f.object(texts("code", "message"), { doc: "" }), { doc: "" }),
    },
    { doc: "" },
  ),
  { doc: "" },
);

const entity = (name: string, options: Fields, more: Partial<EntityShape> = {}): EntityShape => ({ ...metadata, name, options, ...more });
const entities: readonly EntityShape[] = [
  entity("onException", onException, { beforeRoutes: true }),
  entity("onCompletion", onCompletion, { beforeRoutes: true }),
  entity("intercept", intercept, { beforeRoutes: true }),
  entity("interceptFrom", interceptFrom, { beforeRoutes: true, shorthand: "uri" }),
  entity("interceptSendToEndpoint", interceptSend, { beforeRoutes: true, shorthand: "uri" }),
  entity("errorHandler", errorHandler),
  entity("routeConfiguration", {
    ...texts("id", "description", "precondition"),
    errorHandler: f.object(errorHandler, { doc: "" }),
    onException: wrapped("onException", onException),
    onCompletion: wrapped("onCompletion", onCompletion),
    intercept: wrapped("intercept", intercept),
    interceptFrom: wrapped("interceptFrom", interceptFrom),
    interceptSendToEndpoint: wrapped("interceptSendToEndpoint", interceptSend),
  }),
  entity("routeTemplate", {}, { raw: true }),
  entity("templatedRoute", {
    ...texts("routeId", "prefixId"),
    routeTemplateRef: text(true),
    parameters: f.list(f.object({ name: text(true), value: text(true) }, { doc: "" }), { doc: "" }),
  }),
  entity("beans", { name: text(true), type: text(true), properties: f.parameters({ doc: "" }) }, { many: true }),
  entity("dataFormats", { dataFormat: f.format({ doc: "", required: true }) }, { many: true }),
  entity("rest", {
    ...texts("id", "path", "description", "consumes", "produces", "bindingMode"),
    ...Object.fromEntries(["get", "post", "put", "patch", "delete", "head"].map((name) => [name, verb])),
  }),
  entity("restConfiguration", { ...texts("component", "host", "port", "contextPath", "bindingMode"), enableCORS: flag }),
];

export const sampleVocabulary: Vocabulary = {
  steps: byName(shapes),
  languages: byName(languages),
  formats: byName(formats),
  entities: byName(entities),
  refused: new Map([
    ["groovy", "the language 'groovy' is not available: use 'simple' or 'jq'"],
    ["bean", "the step 'bean' calls Java code and is not available: use a connector"],
    ["transformers", "'transformers' is not available: use a step"],
  ]),
};
