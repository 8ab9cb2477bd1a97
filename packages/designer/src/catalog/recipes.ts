// Several steps for a common task, inserted as plain steps. `element` recipes are top-level elements, which apply to the whole flow.
export interface Recipe {
  readonly key: string;
  readonly title: string;
  readonly summary: string;
  readonly icon: string;
  readonly keywords: readonly string[];
  readonly place: "steps" | "element";
  /** One text per step; one for an element. */
  readonly yaml: readonly string[];
}

export const recipes: readonly Recipe[] = [
  {
    key: "retry",
    title: "Retry on error, then dead letter",
    summary: "Retries a failed step up to three times, then stores the message as a dead letter.",
    icon: "repeat",
    keywords: ["retry", "again", "resilience", "error", "catch", "exception", "dead"],
    place: "element",
    yaml: [
      `onException:
  exception:
    - java.lang.Exception
  redeliveryPolicy:
    maximumRedeliveries: 3
    redeliveryDelay: 1000
  handled:
    constant: "true"
  steps:
    - to:
        uri: sluice:dead-letters`,
    ],
  },
  {
    key: "http-reply",
    title: "Call HTTP and read the reply",
    summary: "Sends the message as JSON to an HTTP server and parses its JSON reply.",
    icon: "globe",
    keywords: ["call", "rest", "api", "request", "fetch", "json", "map"],
    place: "steps",
    yaml: ["marshal:\n  json: {}", "to:\n  uri: http://example.com/orders\n  parameters:\n    httpMethod: POST", "unmarshal:\n  json: {}"],
  },
  {
    key: "each-line",
    title: "For each line",
    summary: "Splits text into lines and processes them one after the other.",
    icon: "split",
    keywords: ["loop", "for", "each", "iterate", "csv", "file", "line"],
    place: "steps",
    yaml: ['split:\n  tokenize:\n    token: "\\n"\n  streaming: true\n  steps:\n    - log:\n        message: "${body}"'],
  },
  {
    key: "once",
    title: "Process each message once",
    summary: "Skips messages whose key was already processed.",
    icon: "fingerprint",
    keywords: ["dedupe", "duplicate", "once"],
    place: "steps",
    yaml: [
      'idempotentConsumer:\n  simple: "${header.orderId}"\n  idempotentRepository: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository"\n  steps:\n    - log:\n        message: "${body}"',
    ],
  },
  {
    key: "reply-status",
    title: "Reply with status",
    summary: "Replies to the caller with a status code and a text.",
    icon: "square-pen",
    keywords: ["response", "answer", "http", "status", "code"],
    place: "steps",
    yaml: ['setHeader:\n  name: CamelHttpResponseCode\n  constant: "201"', "setBody:\n  constant: accepted"],
  },
];
