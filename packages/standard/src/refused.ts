// Keywords of Camel's YAML DSL that are deliberately not supported. Each message names the alternative, so that users can distinguish an unsupported
// keyword from a misspelled one.
import { refusedFormats } from "./formats/refused-formats.ts";

const notSupported = "which is not supported";

const refusedSteps: Readonly<Record<string, string>> = {
  policy: "policy needs a Java policy object; move its steps to a separate route",
  serviceCall: "serviceCall was removed from Camel; call the service with toD and its address from a property",
  hystrix: "hystrix was removed from Camel; use circuitBreaker",
  inOnly: "inOnly was removed from Camel; use 'to' with pattern: InOnly",
  inOut: "inOut was removed from Camel; use 'to' with pattern: InOut",
  removeBody: 'removeBody does not exist; use setBody with constant: ""',
  tokenizer: "tokenizer needs Java libraries for AI models; split text with split and tokenize",
  pausable: "pausable needs a Java consumer listener; stop and start the route with the management API",
  resumable: "resumable needs a Java resume strategy; use idempotentConsumer to skip messages that were already processed",
  a2aSubTask: "a2aSubTask needs Java libraries; call the agent's HTTP address with 'to'",
  delegate: "delegate is not a step; write its steps directly into the route",
  doCatch: "doCatch is not a step; write it in a doTry",
  doFinally: "doFinally is not a step; write it in a doTry",
  onFallback: "onFallback is not a step; write it in a circuitBreaker",
  when: "when is not a step; write it in a choice",
  otherwise: "otherwise is not a step; write it in a choice",
  aop: "aop was removed from Camel; use intercept",
};

const refusedLanguages: Readonly<Record<string, string>> = {
  js: "js is disabled: start the runtime with SERVICE_ENABLE_JS=true",
  mvel: `mvel runs on the Java VM, ${notSupported}; use simple or js`,
  ognl: `ognl runs on the Java VM, ${notSupported}; use simple or js`,
  python: "python is not available; use js",
  spel: `spel needs Java, ${notSupported}; use simple or js`,
  wasm: "wasm functions are not available; use js",
  datasonnet: "datasonnet is not available; use jsonata or jq",
  hl7terser: "hl7terser is not available; unmarshal the message and use simple or js",
  jactl: `jactl runs on the Java VM, ${notSupported}; use js`,
  java: `java expressions need Java, ${notSupported}; use js`,
  joor: `joor needs Java, ${notSupported}; use js`,
  ref: "ref refers to a Java expression bean; write the expression itself",
};

const refusedEntities: Readonly<Record<string, string>> = {
  sslContextParameters: "sslContextParameters are Java objects; configure certificates in the options of the listener and of the connector",
  templatedRoutes: "templatedRoutes does not exist; write one templatedRoute per route",
};

/** Unsupported connectors by scheme, including the colon. */
const refusedConnectors: Readonly<Record<string, string>> = {
  "exec:": "exec runs programs on the host, which flows are not allowed to do; call the program over HTTP or exchange files with it",
  "ssh:": "ssh runs commands on other hosts, which flows are not allowed to do; call them over HTTP",
  ...Object.fromEntries(
    ["jpa", "mongodb"].map((scheme) => [`${scheme}:`, `${scheme} is not available; use sql for tables, or call the database through an HTTP service`]),
  ),
  ...Object.fromEntries(
    ["ftp", "ftps", "sftp"].map((scheme) => [`${scheme}:`, `${scheme} is not available; transfer files to a folder and read them with file`]),
  ),
  ...Object.fromEntries(
    ["freemarker", "mustache", "velocity"].map((scheme) => [`${scheme}:`, `${scheme} is not available; create the text with simple or a message mapping`]),
  ),
  "xslt:": "xslt is not available; use a message mapping or xpath",
};

/** Unsupported steps, languages, top-level elements and connectors, each with the alternative. */
export const refusedWords: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...refusedSteps, ...refusedLanguages, ...refusedEntities, ...refusedConnectors }),
  ...refusedFormats,
]);
