// Words of Camel's YAML language that are known and refused on purpose. A refusal says what to write instead, so that
// nobody has to guess whether it was a typing error.
import { refusedFormats } from "./formats/refused-formats.ts";

const noJava = "there is no Java here";

const refusedSteps: Readonly<Record<string, string>> = {
  transacted: "transacted needs a transaction manager, which does not exist here; use doTry, saga or idempotentConsumer to make repeated work safe",
  policy: "policy needs a Java policy object; put the steps it would guard into a route of their own",
  serviceCall: "serviceCall was removed from Camel; call the service with toD and its address from a property",
  hystrix: "hystrix was removed from Camel; use circuitBreaker",
  inOnly: "inOnly was removed from Camel; use to with pattern: InOnly",
  inOut: "inOut was removed from Camel; use to with pattern: InOut",
  removeBody: 'there is no removeBody; use setBody with constant: ""',
  tokenizer: "tokenizer prepares text for AI models with Java libraries; split text with split and tokenize",
  pausable: "pausable needs a Java consumer listener; stop and start the route over the management API instead",
  resumable: "resumable needs a Java resume strategy; use idempotentConsumer to skip what was done before",
  a2aSubTask: "a2aSubTask calls AI agents with Java libraries; call the agent with to and its http address",
  delegate: "delegate is no step of its own; write the steps where they belong",
  doCatch: "doCatch is no step of its own; write it in a doTry",
  doFinally: "doFinally is no step of its own; write it in a doTry",
  onFallback: "onFallback is no step of its own; write it in a circuitBreaker",
  when: "when is no step of its own; write it in a choice",
  otherwise: "otherwise is no step of its own; write it in a choice",
  aop: "aop was removed from Camel; use intercept",
};

const refusedLanguages: Readonly<Record<string, string>> = {
  js: "js is off: start the runtime with SERVICE_ENABLE_JS=true",
  groovy: `groovy runs on the Java VM and ${noJava}; use js`,
  mvel: `mvel runs on the Java VM and ${noJava}; use simple or js`,
  ognl: `ognl runs on the Java VM and ${noJava}; use simple or js`,
  python: "python is not available; use js",
  spel: `spel is Spring's language and ${noJava}; use simple or js`,
  wasm: "wasm functions are not available; use js",
  datasonnet: "datasonnet is not available; use jsonata or jq",
  hl7terser: "hl7terser is not available; unmarshal the message and use simple or js",
  jactl: `jactl runs on the Java VM and ${noJava}; use js`,
  java: `java is compiled at start and ${noJava}; use js`,
  joor: `joor is compiled Java and ${noJava}; use js`,
  method: `method calls Java beans and ${noJava}; use simple or js`,
  csimple: "csimple is compiled simple; write simple, which is compiled here too",
  ref: "ref names a Java expression bean; write the expression itself",
};

const refusedEntities: Readonly<Record<string, string>> = {
  sslContextParameters: "sslContextParameters are Java objects; certificates are configured with the listener and the connector's own options",
  transformers: "transformers need Java data types; convert with marshal, unmarshal or an expression",
  validators: "validators need Java data types; check with validate or a schema step",
  templatedRoutes: "templatedRoutes is no word of this language; write one templatedRoute per route",
};

/** Connectors by scheme, with its colon. */
const refusedConnectors: Readonly<Record<string, string>> = {
  "exec:": "exec starts programs of the machine, which no flow may do; put the program behind HTTP or hand it files",
  "class:": `class calls Java classes and ${noJava}; let the operator supply a function (SERVICE_FUNCTIONS) and call it with bean or process`,
  "bean:": "bean is a step here, not an address; let the operator supply a function (SERVICE_FUNCTIONS) and call it with the step bean or process",
  "ssh:": "ssh runs commands on other machines, which no flow may do; put them behind HTTP",
  ...Object.fromEntries(
    ["activemq", "activemq6", "amqp", "jms", "kafka", "nats", "paho-mqtt5", "spring-rabbitmq"].map((scheme) => [`${scheme}:`, broker(scheme)]),
  ),
  ...Object.fromEntries(
    ["jdbc", "jpa", "mongodb", "sql"].map((scheme) => [`${scheme}:`, `${scheme} is not available; put the database behind HTTP and call it with http`]),
  ),
  ...Object.fromEntries(
    ["ftp", "ftps", "sftp"].map((scheme) => [`${scheme}:`, `${scheme} is not available; let files be dropped into a directory and read them with file`]),
  ),
  ...Object.fromEntries(
    ["freemarker", "mustache", "velocity"].map((scheme) => [`${scheme}:`, `${scheme} is not available; write the text with simple or a message mapping`]),
  ),
  "xslt:": "xslt is not available; use a message mapping or xpath",
};

function broker(scheme: string): string {
  return `${scheme} is not available; take messages in with webhook or http, and keep them with queue`;
}

/** Step, language and top-level words that are refused, each with one sentence of what to use instead. */
export const refusedWords: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...refusedSteps, ...refusedLanguages, ...refusedEntities, ...refusedConnectors }),
  ...refusedFormats,
]);
