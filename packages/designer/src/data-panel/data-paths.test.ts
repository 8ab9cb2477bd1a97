import { describe, expect, test } from "vitest";
import { messageData } from "./message-data.ts";
import { pathCompletions } from "./path-completions.ts";
import { insertPath, pathText } from "./path-text.ts";

const body = { order: { total: 7, "first name": "Ada", lines: [{ sku: "KB-1", qty: 2 }] } };
const data = messageData({ body, headers: { "Content-Type": "text/plain", kind: "a" }, variables: { v: { x: 1 } }, properties: { p: 1 } });
const total = { root: "body", names: ["order", "total"] } as const;

describe("the path to a value in each language", () => {
  test.each([
    ["simple", "${body.order.total}"],
    ["jsonpath", "$.order.total"],
    ["jq", ".order.total"],
    ["jsonata", "order.total"],
    ["js", "body.order.total"],
    ["groovy", "body.order.total"],
    ["xpath", undefined],
    ["constant", undefined],
  ])("%s", (language, expected) => expect(pathText(language, total, data)).toBe(expected));

  test("list items, names that need quotes, and headers", () => {
    const sku = { root: "body", names: ["order", "lines", 0, "sku"] } as const;
    const named = { root: "body", names: ["order", "first name"] } as const;
    const header = { root: "header", names: ["Content-Type"] } as const;
    expect(["simple", "jsonpath", "jq", "jsonata"].map((language) => pathText(language, sku, data))).toEqual([
      "${body.order.lines[0].sku}",
      "$.order.lines[0].sku",
      ".order.lines[0].sku",
      "order.lines[0].sku",
    ]);
    expect(["simple", "jsonpath", "jq", "jsonata"].map((language) => pathText(language, named, data))).toEqual([
      "${body.order[first name]}",
      "$.order['first name']",
      '.order."first name"',
      "order.`first name`",
    ]);
    expect(["simple", "jq", "js", "header", "jsonpath"].map((language) => pathText(language, header, data))).toEqual([
      "${header.Content-Type}",
      'header("Content-Type")',
      "headers['Content-Type']",
      "Content-Type",
      undefined,
    ]);
  });

  test("JavaScript parses JSON text, and inside an open `${` the path is inserted without another `${`", () => {
    const text = messageData({ body: JSON.stringify(body) });
    expect(text.format).toBe("json");
    expect(pathText("js", total, text)).toBe("JSON.parse(body).order.total");
    expect(insertPath("simple", total, data, "a  b", 2, 2)).toEqual({ text: "a ${body.order.total} b", caret: 21 });
    expect(insertPath("simple", total, data, "${} > 1", 2, 2)).toEqual({ text: "${body.order.total} > 1", caret: 18 });
    expect(insertPath("simple", total, data, "${", 2, 2)).toEqual({ text: "${body.order.total}", caret: 19 });
  });
});

describe("XML", () => {
  const xml = messageData({ body: '<?xml version="1.0"?><order no="7"><line><sku>a &amp; b</sku></line><line/><!-- x --></order>' });

  test("is read as data, and addressed with XPath", () => {
    expect(xml).toMatchObject({ format: "xml", body: { order: { "@no": "7", line: [{ sku: "a & b" }, ""] } } });
    const sku = { root: "body", names: ["order", "line", 0, "sku"] } as const;
    expect(pathText("xpath", sku, xml)).toBe("/order/line[1]/sku");
    expect(pathText("simple", sku, xml)).toBe("${xpath(/order/line[1]/sku)}");
    expect(pathCompletions("xpath", "/order/", xml)?.items.map(({ text }) => text)).toEqual(["@no", "line"]);
  });

  test.each(["<a>", "<a></b>", "<a/><b/>", "<a b=c/>", "text < 1", "<a/>rest"])("%s is text", (body) => expect(messageData({ body }).format).toBe("text"));
});

describe("completion of a path", () => {
  const textsOf = (language: string, before: string): readonly string[] | undefined => pathCompletions(language, before, data)?.items.map(({ text }) => text);

  test.each([
    ["simple", "${body.order.t", ["total"]],
    ["simple", "x ${trim(body.order.to", ["total"]],
    ["simple", "${header.k", ["kind"]],
    ["simple", "${variable.v.", ["x"]],
    ["jsonpath", "$.order.t", ["total"]],
    ["jq", "{a: .order.t", ["total"]],
    ["jq", ".order.lines[].", ["sku", "qty"]],
    ["jsonata", "1 + order.t", ["total"]],
    ["jsonata", "ord", ["order"]],
    ["jsonata", "$headers.k", ["kind"]],
    ["js", "body.order.t", ["total"]],
    ["groovy", "headers.k", ["kind"]],
  ])("%s: %s", (language, before, expected) => expect(textsOf(language, before)).toEqual(expected));

  test("a list offers the fields of its items, and the dot is replaced", () => {
    expect(pathCompletions("simple", "${body.order.lines.", data)).toMatchObject({ start: 18, items: [{ text: "[0].sku" }, { text: "[0].qty" }] });
    expect(pathCompletions("jsonpath", "$.order.lines.", data)).toMatchObject({ start: 13, items: [{ text: "[*].sku" }, { text: "[*].qty" }] });
    expect(textsOf("simple", "${body.order.")).toEqual([".total", "[first name]", ".lines"]);
  });

  test("nothing is offered outside a path or without a message", () => {
    expect(textsOf("simple", "body.order.")).toBeUndefined();
    expect(textsOf("jsonpath", "order.")).toBeUndefined();
    expect(pathCompletions("simple", "${body.", undefined)).toBeUndefined();
  });
});

describe("CSV text", () => {
  const rows = (body: string, headers = {}) => messageData({ body, headers });
  test("is a list of rows with named columns, whose values have no path before they are parsed", () => {
    const csv = rows('sku;name\r\nKB-1;"Key ""board"";\nblack"\r\nKB-2;Mouse\r\n');
    expect(csv).toMatchObject({
      format: "csv",
      body: [
        { sku: "KB-1", name: 'Key "board";\nblack' },
        { sku: "KB-2", name: "Mouse" },
      ],
    });
    expect(pathText("simple", { root: "body", names: [0, "sku"] }, csv)).toBeUndefined();
    expect(pathText("simple", { root: "body", names: [] }, csv)).toBe("${body}");
  });
  test("is distinguished from prose, unless the content type names the format", () => {
    const prose = "Dear all, hello\nsee you, soon, there\n";
    expect(rows(prose).format).toBe("text");
    expect(rows("a,b\n1,2,3\n", { "Content-Type": "text/csv; charset=utf-8" })).toMatchObject({ format: "csv", body: [{ a: "1", b: "2" }] });
    expect(rows("one line, two parts").format).toBe("text");
    expect(rows('a,b\n"open,2\n').format).toBe("text");
  });
});
