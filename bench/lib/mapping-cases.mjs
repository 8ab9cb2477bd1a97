// One case for each pair of formats that a mapping reads and writes: a document for an order, and hand-written code for exactly this order, without error checks.

const order = {
  id: "A-1001",
  customer: "Ada & Sons",
  lines: [
    { sku: "KB-1", qty: 2, price: 49.9 },
    { sku: "MS-7", qty: 1, price: 19.5 },
    { sku: "CB-3", qty: 3, price: 5 },
  ],
};
const result = {
  orderNo: "A-1001",
  customer: "ADA & SONS",
  items: [
    { pos: 1, material: "KB-1", net: 99.8 },
    { pos: 2, material: "MS-7", net: 19.5 },
    { pos: 3, material: "CB-3", net: 15 },
  ],
};
const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const unescapeXml = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
const roundToCents = (value) => Math.round(value * 100) / 100;
const orderXml = `<order id="A-1001"><customer>${escapeXml(order.customer)}</customer>${order.lines.map(({ sku, qty, price }) => `<line sku="${sku}"><qty>${qty}</qty><price>${price}</price></line>`).join("")}</order>`;
const orderCsv = `sku,qty,price\r\n${order.lines.map(({ sku, qty, price }) => `${sku},${qty},${price}\r\n`).join("")}`;

const itemsOf = ({ to = "items[]", forEach = "lines", sku = "sku", net = "qty * price", pos = "pos" } = {}) => ({
  to,
  forEach,
  map: [
    { to: pos, expr: "$index + 1" },
    { to: "material", from: sku },
    { to: "net", expr: net, scale: 2 },
  ],
});
const fromTexts = "number(qty) * number(price)";
const heading = [
  { to: "orderNo", from: "id", required: true },
  { to: "customer", expr: "upper(customer)" },
];

export const mappingCases = {
  "JSON to JSON": {
    document: { source: { format: "json" }, target: { format: "json" }, map: [...heading, itemsOf()] },
    body: JSON.stringify(order),
    result,
    handWritten(text) {
      const { id, customer, lines } = JSON.parse(text);
      return {
        orderNo: id,
        customer: customer.toUpperCase(),
        items: lines.map(({ sku, qty, price }, index) => ({ pos: index + 1, material: sku, net: roundToCents(qty * price) })),
      };
    },
  },
  "XML to JSON": {
    document: {
      source: { format: "xml", root: "order" },
      target: { format: "json" },
      map: [{ to: "orderNo", from: "@id", required: true }, heading[1], itemsOf({ forEach: "line", sku: "@sku", net: fromTexts })],
    },
    body: orderXml,
    result,
    handWritten(text) {
      const items = [];
      for (const [, sku, qty, price] of text.matchAll(/<line sku="([^"]*)"><qty>([^<]*)<\/qty><price>([^<]*)<\/price><\/line>/g))
        items.push({ pos: items.length + 1, material: unescapeXml(sku), net: roundToCents(Number(qty) * Number(price)) });
      return {
        orderNo: unescapeXml(/<order id="([^"]*)"/.exec(text)[1]),
        customer: unescapeXml(/<customer>([^<]*)</.exec(text)[1]).toUpperCase(),
        items,
      };
    },
  },
  "JSON to XML": {
    document: {
      source: { format: "json" },
      target: { format: "xml", root: "order", declaration: false },
      map: [{ to: "@no", from: "id", required: true }, heading[1], itemsOf({ to: "item[]", pos: "@pos" })],
    },
    body: JSON.stringify(order),
    result: `<order no="A-1001"><customer>ADA &amp; SONS</customer>${result.items.map(({ pos, material, net }) => `<item pos="${pos}"><material>${material}</material><net>${net}</net></item>`).join("")}</order>`,
    handWritten(text) {
      const { id, customer, lines } = JSON.parse(text);
      let items = "";
      for (const [index, { sku, qty, price }] of lines.entries())
        items += `<item pos="${index + 1}"><material>${escapeXml(sku)}</material><net>${roundToCents(qty * price)}</net></item>`;
      return `<order no="${escapeXml(id)}"><customer>${escapeXml(customer.toUpperCase())}</customer>${items}</order>`;
    },
  },
  "CSV to JSON": {
    document: { source: { format: "csv" }, target: { format: "json" }, map: [itemsOf({ forEach: "rows", net: fromTexts })] },
    body: orderCsv,
    result: { items: result.items },
    handWritten(text) {
      const items = [];
      const lines = text.split("\r\n");
      for (let index = 1; index < lines.length; index++) {
        if (lines[index] === "") continue;
        const [sku, qty, price] = lines[index].split(",");
        items.push({ pos: index, material: sku, net: roundToCents(Number(qty) * Number(price)) });
      }
      return { items };
    },
  },
  "JSON to CSV": {
    document: { source: { format: "json" }, target: { format: "csv" }, map: [itemsOf({ to: "rows[]" })] },
    body: JSON.stringify(order),
    result: `pos,material,net\r\n${result.items.map(({ pos, material, net }) => `${pos},${material},${net}\r\n`).join("")}`,
    handWritten(text) {
      let rows = "pos,material,net\r\n";
      for (const [index, { sku, qty, price }] of JSON.parse(text).lines.entries()) {
        const material = /[",\r\n]/.test(sku) ? `"${sku.replaceAll('"', '""')}"` : sku;
        rows += `${index + 1},${material},${roundToCents(qty * price)}\r\n`;
      }
      return rows;
    },
  },
};
