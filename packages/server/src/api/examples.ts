// Examples of requests and replies for the documentation. A test compares them with the schemas.

const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const lastModified = "2026-11-14T16:02:33.120Z";
const runId = "run_01KB2T4X7N5M0Q8R3S6V9W1Y2Z";

/** Bodies that the runtime accepts. */
export const requests = {
  flow: {
    yaml: "- route:\n    id: order-intake\n    from:\n      uri: webhook\n      steps:\n        - setBody: {constant: accepted}\n",
    params: { region: "eu" },
  },
  wrongFlow: { yaml: "- route:\n    id: order-intake\n    from:\n      uri: webhook\n      steps:\n        - lgo: ${body}\n" },
  policy: {
    authenticate: [{ type: "apiKey", keys: [{ id: "shop", key: "replace-this-key", roles: ["orders"] }] }],
    rules: [{ methods: ["POST"], roles: ["orders"] }],
    default: "deny",
  },
  connection: { type: "sqlite", title: "Orders", values: { file: ":memory:" } },
  kamelet: {
    yaml: `apiVersion: camel.apache.org/v1
kind: Kamelet
metadata:
  name: greeter-action
  labels:
    camel.apache.org/kamelet.type: action
spec:
  definition:
    title: Greeter
    type: object
  template:
    from:
      uri: kamelet:source
      steps:
        - setBody: {simple: "hello \${body}"}
`,
  },
  table: {
    columns: ["shop", "sap"],
    rows: [
      ["piece", "ST"],
      ["box", "KAR"],
    ],
  },
  mapping: { source: { format: "json" }, target: { format: "json" }, map: [{ to: "orderNo", from: "id", required: true }] },
  session: {
    name: "orders",
    scope: "session",
    mocks: [{ id: "erp", match: { stepId: "call-erp" }, respond: { status: 201, body: { ok: true } } }],
  },
  invocation: { sessionId: "ts_01KB2T4X7N5M0Q8R3S6V9W1Y2Z", routeId: "order-intake", body: { id: "A-1001" } },
  breakpoints: { flowId: "orders", breakpoints: [{ routeId: "order-intake", stepId: "setBody1" }] },
} as const;

const run = {
  id: runId,
  routeId: "order-intake",
  flowId: "orders",
  flowHash: hash,
  status: "failed",
  startedAt: lastModified,
  endedAt: "2026-11-14T16:02:33.138Z",
  durationMs: 18,
  trigger: { uri: "webhook", method: "POST", path: "/api/order-intake" },
  exchangeId: "01KB2T4X7N5M0Q8R3S6V9W1Y2Z",
  correlationId: runId,
  parentRunId: null,
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  redeliveries: 0,
  handled: false,
  steps: [{ stepId: "call-erp", kind: "to", startedAt: lastModified, durationMs: 12.4, status: "failed", attempts: 1 }],
  error: { type: "HttpOperationFailed", message: "the server responded with 503", stepId: "call-erp" },
  request: { contentType: "application/json", size: 15, preview: '{"id":"A-1001"}' },
  reply: { status: 500, size: 60 },
  sessionId: null,
  replayOf: null,
  kind: "live",
} as const;

export const replies = {
  installedFlow: {
    id: "orders",
    created: true,
    changed: true,
    hash,
    lastModified,
    routeCount: 1,
    routes: [{ id: "order-intake", from: "webhook", status: "Started", url: "/api/order-intake" }],
    warnings: [],
    revision: 1,
  },
  flows: {
    flows: [
      {
        id: "orders",
        file: "orders.yaml",
        lastModified,
        hash,
        routeCount: 1,
        status: "Started",
        routes: [{ id: "order-intake", status: "Started" }],
        paramNames: ["region"],
        hasPolicy: false,
        error: null,
      },
    ],
    total: 1,
  },
  problems: {
    valid: false,
    problems: [
      {
        severity: "error",
        line: 6,
        column: 11,
        routeId: "order-intake",
        stepId: null,
        code: "step-unknown",
        message: "unknown step 'lgo' in route 'order-intake' (did you mean 'log'?)",
      },
    ],
  },
  runs: { runs: [run], total: 1 },
  openedSession: {
    sessionId: "ts_01KB2T4X7N5M0Q8R3S6V9W1Y2Z",
    ttlMs: 600_000,
    expiresAt: "2026-11-14T16:12:33.120Z",
    mocks: [{ id: "erp", steps: ["order-intake/call-erp"] }],
    warnings: [],
  },
  invocation: { runId, status: "completed", body: { ok: true }, bodyType: "json", headers: {}, durationMs: 14, error: null },
  execution: { output: { orderNo: "A-1001" }, errors: [], durationMs: 1 },
} as const;
