// Recipes: groups of steps for common tasks, inserted as plain steps. `element` recipes are top-level elements, which apply to the whole flow.
export interface Recipe {
  readonly key: string;
  readonly title: string;
  readonly summary: string;
  readonly icon: string;
  readonly keywords: readonly string[];
  readonly insertAs: "steps" | "element";
  /** At most three, shown before the steps are inserted. */
  readonly questions: readonly RecipeQuestion[];
  /** The YAML of each step, or of the element. */
  yaml(answers: Answers): readonly string[];
}

interface RecipeQuestion {
  readonly name: string;
  readonly label: string;
  /** The default answer. */
  readonly value: string;
  readonly isNumber?: boolean;
}

export type Answers = Readonly<Record<string, string>>;

/** The default answers of a recipe. */
export const defaultAnswers = ({ questions }: Pick<Recipe, "questions">): Answers => Object.fromEntries(questions.map(({ name, value }) => [name, value]));

/** Writes a number without quotes and any other text in double quotes. */
const yamlScalar = (answer = ""): string => (/^\d+$/.test(answer) ? answer : JSON.stringify(answer));

export const recipes: readonly Recipe[] = [
  {
    key: "retry",
    title: "Retry on error, then dead letter",
    summary: "Retries a failed step, then sends the message to the dead letters.",
    icon: "repeat",
    keywords: ["retry", "again", "resilience", "error", "catch", "exception", "dead"],
    insertAs: "element",
    questions: [
      { name: "times", label: "Number of retries", value: "3", isNumber: true },
      { name: "delay", label: "Delay between attempts in ms", value: "1000", isNumber: true },
      { name: "then", label: "Endpoint for failed messages", value: "sluice:dead-letters" },
    ],
    yaml: ({ times, delay, then }) => [
      `onException:
  exception:
    - java.lang.Exception
  redeliveryPolicy:
    maximumRedeliveries: ${yamlScalar(times)}
    redeliveryDelay: ${yamlScalar(delay)}
  handled:
    constant: "true"
  steps:
    - to:
        uri: ${yamlScalar(then)}`,
    ],
  },
  {
    key: "http-reply",
    title: "Call HTTP and read the reply",
    summary: "Sends the message as JSON to an HTTP server and parses its JSON reply.",
    icon: "globe",
    keywords: ["call", "rest", "api", "request", "fetch", "json", "map"],
    insertAs: "steps",
    questions: [
      { name: "url", label: "URL", value: "http://example.com/orders" },
      { name: "method", label: "Method", value: "POST" },
    ],
    yaml: ({ url, method }) => [
      "marshal:\n  json: {}",
      `to:\n  uri: ${yamlScalar(url)}\n  parameters:\n    httpMethod: ${yamlScalar(method)}`,
      "unmarshal:\n  json: {}",
    ],
  },
  {
    key: "email",
    title: "Send an email",
    summary: "Sends an email through the HTTP API of a mail provider. Adapt the names of the fields to those of your provider.",
    icon: "bell",
    keywords: ["email", "mail", "smtp", "notify"],
    insertAs: "steps",
    questions: [
      { name: "url", label: "URL of the provider's API", value: "https://api.example.com/messages" },
      { name: "to", label: "Recipient", value: "orders@example.com" },
      { name: "text", label: "Text", value: "Order ${header.orderId} failed" },
    ],
    yaml: ({ url, to, text }) => [
      `setBody:\n  simple: ${JSON.stringify(JSON.stringify({ to, subject: "Message from ${routeId}", text }))}`,
      "setHeader:\n  name: Content-Type\n  constant: application/json",
      `to:\n  uri: ${yamlScalar(url)}\n  parameters:\n    httpMethod: POST`,
    ],
  },
  {
    key: "each-line",
    title: "For each line",
    summary: "Splits text into lines and processes them one after the other.",
    icon: "split",
    keywords: ["loop", "for", "each", "iterate", "csv", "file", "line"],
    insertAs: "steps",
    questions: [],
    yaml: () => ['split:\n  tokenize:\n    token: "\\n"\n  streaming: true\n  steps:\n    - log:\n        message: "${body}"'],
  },
  {
    key: "once",
    title: "Process each message once",
    summary: "Skips messages whose key was already processed.",
    icon: "fingerprint",
    keywords: ["dedupe", "duplicate", "once"],
    insertAs: "steps",
    questions: [{ name: "key", label: "Message key", value: "${header.orderId}" }],
    yaml: ({ key }) => [
      `idempotentConsumer:\n  simple: ${yamlScalar(key)}\n  idempotentRepository: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository"\n  steps:\n    - log:\n        message: "\${body}"`,
    ],
  },
  {
    key: "reply-status",
    title: "Reply with status",
    summary: "Replies to the caller with a status code and text.",
    icon: "square-pen",
    keywords: ["response", "answer", "http", "status", "code"],
    insertAs: "steps",
    questions: [
      { name: "status", label: "Status code", value: "201", isNumber: true },
      { name: "text", label: "Reply text", value: "accepted" },
    ],
    yaml: ({ status, text }) => [
      `setHeader:\n  name: CamelHttpResponseCode\n  constant: ${JSON.stringify(status)}`,
      `setBody:\n  constant: ${yamlScalar(text)}`,
    ],
  },
];
