// The two workloads used by all benchmarks (docs/performance.md): the same message in, the same response out.

export const webhook = {
  body: JSON.stringify({
    id: "A-1001",
    type: "order.created",
    at: "2026-11-14T09:30:00Z",
    customer: { name: "Ada Lovelace", vip: true },
    lines: [{ sku: "KB-1", qty: 2, price: 49.9 }],
    note: "deliver to the back door, please ring",
  }),
  flow: `- route:
    id: hook
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - log: "\${body}"
        - setBody: {constant: ok}
`,
  response: "ok",
  /** The same work on the parsed message, written by hand: one log record, then `ok`. */
  handWritten(body, write) {
    write(`${JSON.stringify({ time: new Date().toISOString(), level: "INFO", logger: "webhook", message: JSON.stringify(body) })}\n`);
    return "ok";
  },
};

export const router = {
  body: JSON.stringify({
    id: "O-7",
    country: "FR",
    lines: [
      { sku: "KB-1", quantity: 2, price: 49.5 },
      { sku: "MS-2", quantity: 1, price: 19.25 },
      { sku: "HD-3", quantity: 3, price: 80 },
    ],
  }),
  flow: `- route:
    id: hook
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - choice:
            when:
              - simple: "\${body[country]} == 'DE'"
                steps:
                  - setHeader: {name: branch, constant: domestic}
              - simple: "\${body[country]} == 'FR'"
                steps:
                  - setHeader: {name: branch, constant: europe}
            otherwise:
              steps:
                - setHeader: {name: branch, constant: world}
        - to: message-mapping:total
        - removeHeader: {name: branch}
`,
  /** The mapping step, which does the computation. */
  mapping: {
    source: { format: "json" },
    target: { format: "json" },
    map: [
      { to: "id", from: "id" },
      { to: "branch", expr: "$headers.branch" },
      { to: "total", expr: "sum(lines[*].(quantity * price))" },
    ],
  },
  response: '{"id":"O-7","branch":"europe","total":358.25}',
  handWritten({ id, country, lines }) {
    const branch = country === "DE" ? "domestic" : country === "FR" ? "europe" : "world";
    let total = 0;
    for (const line of lines) total += line.quantity * line.price;
    return { id, branch, total };
  },
};

export const workloads = { webhook, router };
