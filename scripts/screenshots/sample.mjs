// The content of the screenshots: a small workspace, and traffic that is always the same except for times and ids.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const orders = `# Orders from the web shop. Orders that the ERP rejects become dead letters.
- errorHandler:
    deadLetterChannel:
      deadLetterUri: sluice:dead-letters
      redeliveryPolicy:
        maximumRedeliveries: 0

- route:
    id: orders-to-erp
    description: Orders to ERP
    group: data-sync
    from:
      uri: webhook
      steps:
        - unmarshal:
            id: read-order
            json: {}
        - setHeader:
            id: keep-number
            name: orderId
            simple: "\${body[id]}"
        - choice:
            id: large-or-small
            when:
              # Large orders are reviewed by a person.
              - simple: "\${body[total]} > 1000"
                steps:
                  - log:
                      id: large-order
                      message: "large order \${header.orderId}"
            otherwise:
              steps:
                - log:
                    id: small-order
                    message: "order \${header.orderId}"
        - to:
            id: map-order
            uri: message-mapping:order-to-erp
        - to:
            id: call-erp
            uri: "{{erp.url:http://erp.example}}/orders"
            parameters:
              httpMethod: POST
        - setBody:
            id: reply
            simple: "accepted \${header.orderId}"
`;

const erp = `- route:
    id: erp
    from:
      uri: platform-http:/api/erp/orders
      steps:
        - delay: {simple: "\${random(4,30)}"}
        - choice:
            when:
              - simple: "\${bodyAs(String)} contains 'Nobody'"
                steps: [{setHeader: {name: CamelHttpResponseCode, constant: "503"}}]
        - setBody: {constant: "{}"}
`;

const stock = `- route:
    id: stock-to-shop
    description: Stock to shop
    group: data-sync
    from:
      uri: timer:stock
      parameters: {period: 15m}
      steps:
        - to: http://warehouse.example/stock
        - split:
            jsonpath: $.items
            steps:
              - to: http://shop.example/stock
`;

const invoices = (folder) => `- route:
    id: invoices-to-archive
    description: Invoices to archive
    group: utility
    from:
      uri: direct:invoices
      steps:
        - log: "invoice \${body}"
        - to: ${folder}
`;

const table = {
  name: "Units of measure",
  columns: ["shop", "sap", "edi"],
  rows: [
    ["piece", "ST", "PCE"],
    ["box", "KAR", "CT"],
    ["pallet", "PAL", "PF"],
    ["metre", "M", "MTR"],
    ["litre", "L", "LTR"],
    ["kilogram", "KG", "KGM"],
  ],
};

const line = { sku: "KB-1", unit: "box", qty: 2, price: 49.9 };
const order = { id: "A-1001", total: 99.8, customer: { first: "Ada", last: "Lovelace" }, lines: [line] };
const document = {
  name: "Order to ERP",
  source: { format: "json", sample: order },
  target: { format: "json" },
  map: [
    { to: "orderNo", from: "id", required: true },
    { to: "name", expr: "trim(customer.first + ' ' + customer.last)" },
    {
      to: "items[]",
      forEach: "lines",
      map: [
        { to: "pos", expr: "($index + 1) * 10" },
        { to: "material", from: "sku" },
        { to: "uom", lookup: { table: "uom", key: "unit", from: "shop", to: "sap" } },
        { to: "net", expr: "qty * price", scale: 2 },
      ],
    },
  ],
  tests: [
    {
      name: "one line",
      input: order,
      output: { orderNo: "A-1001", name: "Ada Lovelace", items: [{ pos: 10, material: "KB-1", uom: "KAR", net: 99.8 }] },
    },
  ],
};

const policy = {
  authenticate: [
    {
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
      keys: [
        { id: "shop", key: "key-of-the-shop-1", roles: ["orders.write"] },
        { id: "audit", key: "key-of-the-audit-1", roles: ["orders.read"] },
      ],
    },
  ],
  rules: [{ routes: ["orders-to-erp"], methods: ["POST"], roles: ["orders.write"] }],
  default: "deny",
  rateLimit: { limit: 100, windowSec: 60, by: "ip" },
};

const test = (name, body, expected) => `  - name: ${name}
    mocks: [{id: erp, match: {stepId: call-erp}, respond: {body: "{}"}}]
    when: {webhook: orders-to-erp, body: ${JSON.stringify(body)}}
    then: [{status: completed}, {reply: {status: 200, bodyEquals: "${expected}"}}, {mockCalled: {mock: erp}}]
`;
// The second test fails, so that the screenshots show a failed test.
const tests = `flowId: orders-to-erp\ntests:\n${test("an order is accepted", order, "accepted A-1001")}${test("a large order too", { ...order, id: "A-1002", total: 4990 }, "accepted A-1003")}`;

/** Adds files to the workspace of a running designer, which already contains the sample flow of the designer. */
export function fillWorkspace(folder) {
  const files = {
    "flows/orders-to-erp.yaml": orders,
    "flows/stock-to-shop.yaml": stock,
    "flows/invoices-to-archive.yaml": invoices("file:archive"),
    "tests/orders-to-erp/orders.test.yaml": tests,
    "value-mappings/uom.yaml": JSON.stringify(table),
    "message-mappings/order-to-erp.yaml": JSON.stringify(document),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Deploys all but one flow and sends the first orders. */
export async function fillRuntime(baseUrl, token, workspace) {
  const put = async (path, body) => {
    const reply = await fetch(`${baseUrl}/_api${path}`, { method: "PUT", headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  };
  await put("/value-mappings/uom", table);
  await put("/message-mappings/order-to-erp", document);
  await put("/flows/erp", { yaml: erp });
  await put("/flows/orders-to-erp", { yaml: orders, params: { "erp.url": `${baseUrl}/api/erp` } });
  await put("/flows/invoices-to-archive", { yaml: invoices("log:archive") });
  await put("/flows/welcome-to-sluice", { yaml: readFileSync(join(workspace, "flows/welcome-to-sluice.yaml"), "utf8") });
  await put("/auth/orders-to-erp", policy);
  await fetch(`${baseUrl}/_api/routes/orders-to-erp/capture`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ forMs: 600_000 }),
  });
  await sendOrders(baseUrl);
}

/** A round of orders: mostly small ones, a large one, one that the ERP rejects. */
export async function sendOrders(baseUrl) {
  const send = (body) =>
    fetch(`${baseUrl}/api/orders-to-erp`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "key-of-the-shop-1" },
      body: JSON.stringify({ ...order, ...body }),
    });
  let number = 1001;
  for (const { total, last } of [
    { total: 99.8, last: "Lovelace" },
    { total: 4990, last: "Hopper" },
    { total: 12.5, last: "Nobody" },
    { total: 230, last: "Turing" },
    { total: 45, last: "Hamilton" },
    { total: 99.8, last: "Lovelace" },
  ])
    await send({ id: `A-${number++}`, total, customer: { first: "Ada", last } }).then((reply) => reply.arrayBuffer());
}
