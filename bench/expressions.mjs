// npm run bench:expressions — the cost of typical Simple expressions, compared with hand-written functions of the exchange in the same run. Both
// must return the same value.
import { deepStrictEqual } from "node:assert/strict";
import { Exchange, Headers, Message } from "@sluice/engine";
import { languages } from "@sluice/standard";
import { host } from "./lib/engine-runtime.mjs";
import { printResult } from "./lib/result.mjs";
import { compareWithHandWritten, printComparison } from "./lib/slices.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [slices] = numbersOf("expressions", { name: "slices", usual: 200, short: 40, min: 20 });
const simple = languages.find(({ name }) => name === "simple");
const scope = {
  host,
  route: { id: "bench", flowId: "bench", flowHash: "0" },
  property: () => undefined,
  language: (name) => languages.find((language) => language.name === name),
  bean: () => undefined,
};

/** Enough messages to defeat caches of the last message. */
const orders = Array.from({ length: 64 }, (_, index) => ({
  id: `A-${1000 + index}`,
  total: 114.8 + index,
  country: "GB",
  customer: { name: "Ada Lovelace", city: "London", vip: true },
  lines: [
    { sku: "KB-1", qty: 2 },
    { sku: "CB-3", qty: 3 },
  ],
}));
const headers = { channel: "web", "Content-Type": "application/json", attempt: 2 };
const exchangeOf = (body) => new Exchange("bench", undefined, "InOut", new Message(body, Headers.of(headers)));
const parsed = orders.map(exchangeOf);
const texts = orders.map((order) => exchangeOf(JSON.stringify(order)));

const cases = {
  header: { simple: "${header.channel}", handWritten: ({ message }) => message.headers.get("channel") },
  path: { simple: "${body[customer][city]}", handWritten: ({ message }) => message.body.customer.city },
  "path into text": { simple: "${body.customer.city}", on: texts, handWritten: ({ message }) => JSON.parse(message.body).customer.city },
  condition: {
    simple: "${body[country]} == 'GB' && ${body[total]} > 100 && ${header.channel} != 'shop'",
    isPredicate: true,
    handWritten: ({ message: { body, headers: values } }) => body.country === "GB" && body.total > 100 && values.get("channel") !== "shop",
  },
  "text functions": {
    simple: "${uppercase(${substringAfter(${body[id]},'-')})}/${trim(${lowercase(${body[customer][name]})})}",
    handWritten: ({ message: { body } }) => `${body.id.slice(body.id.indexOf("-") + 1).toUpperCase()}/${body.customer.name.toLowerCase().trim()}`,
  },
  template: {
    simple:
      "Dear ${body[customer][name]},\nyour order ${body[id]} of ${body[lines].size()} lines came over ${header.channel} (try ${header.attempt}).\n" +
      "We send ${body[lines][0][qty]} of ${body[lines][0][sku]} and ${body[lines][1][qty]} of ${body[lines][1][sku]} to ${body[customer][city]}, ${body[country]}.\n" +
      "The total is ${body[total]}.\n\nYours, the shop",
    handWritten: ({ message: { body, headers: values } }) =>
      `Dear ${body.customer.name},\nyour order ${body.id} of ${body.lines.length} lines came over ${values.get("channel")} (try ${values.get("attempt")}).\n` +
      `We send ${body.lines[0].qty} of ${body.lines[0].sku} and ${body.lines[1].qty} of ${body.lines[1].sku} to ${body.customer.city}, ${body.country}.\n` +
      `The total is ${body.total}.\n\nYours, the shop`,
  },
};

const roundRobin = (evaluate, exchanges) => {
  let turn = 0;
  return () => evaluate(exchanges[turn++ & 63]);
};

const results = {};
for (const [name, { simple: source, handWritten, on = parsed, isPredicate = false }] of Object.entries(cases)) {
  const expression = isPredicate ? simple.compilePredicate(source, {}, scope) : simple.compile(source, {}, scope);
  for (const exchange of on) deepStrictEqual(expression(exchange), handWritten(exchange));
  results[name] = await compareWithHandWritten(roundRobin(expression, on), roundRobin(handWritten, on), { slices, calls: 500 });
}
printComparison(results);
printResult("expressions", results);
