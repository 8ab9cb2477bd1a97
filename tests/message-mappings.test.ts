// Message-mapping documents over the management API, in flows, and across restarts.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { csvToOrders, invoiceToJson, orderTables, orderToOrder } from "../packages/mapping/src/message-mapping/contract-examples.test-support.ts";
import { spawnServer } from "./spawned-server.ts";
import { call, eventually, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
  for (const [id, table] of Object.entries(orderTables)) await server.api("PUT", `/value-mappings/${id}`, table);
});
afterAll(() => server.end());

const put = (id: string, body: unknown, headers: Record<string, string> = {}) => server.api("PUT", `/message-mappings/${id}`, body, headers);
const execute = (id: string, body: unknown) => server.api("POST", `/message-mappings/${id}/execute`, body);
const jsonRules = (...map: readonly unknown[]) => ({ source: { format: "json" }, target: { format: "json" }, map });
const webhook = (routeId: string, ...steps: readonly string[]): string =>
  `- route:\n    id: ${routeId}\n    from:\n      uri: webhook?muteException=false\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;

const rows = (version: number): unknown => ({ columns: ["k", "v"], rows: Array.from({ length: 20_000 }, (_, index) => [`k${index}`, version]) });

describe("install, list, read, remove", () => {
  it("the reply, the list and the body match the contract", async () => {
    const reply = await put("order-to-erp", orderToOrder.document);
    const common = {
      source: "json",
      target: "json",
      fields: 14,
      uses: ["uom", "country"],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      lastModified: expect.stringMatching(/Z$/),
    };
    expect([reply.status, reply.json]).toEqual([201, { id: "order-to-erp", created: true, ...common, warnings: [] }]);
    expect((await server.api("GET", "/message-mappings")).json).toEqual({ messageMappings: [{ id: "order-to-erp", name: null, ...common }], total: 1 });
    const read = await server.api("GET", "/message-mappings/order-to-erp");
    expect([read.json, read.headers.get("etag")]).toEqual([orderToOrder.document, `"${reply.json.hash}"`]);
    const replaced = await put("order-to-erp", { ...orderToOrder.document, name: "Order" });
    expect([replaced.status, replaced.json.created]).toEqual([200, false]);
    const outdated = await put("order-to-erp", orderToOrder.document, { "if-match": `"${reply.json.hash}"` });
    expect([outdated.status, outdated.json]).toEqual([412, { error: `message mapping 'order-to-erp' changed since hash ${reply.json.hash}` }]);
  });

  it("DELETE of a table names the document that uses it", async () => {
    await server.api("PUT", "/value-mappings/passing", { entries: { a: "b" } });
    await put("order-with-passing", jsonRules({ to: "x", lookup: { table: "passing", key: "k" } }));
    expect((await server.api("DELETE", "/value-mappings/passing")).json).toEqual({
      id: "passing",
      deleted: true,
      usedBy: ["message-mapping:order-with-passing"],
    });
    expect((await execute("order-with-passing", { input: { k: "a" } })).json.errors[0].message).toBe("x: unknown value-mapping table 'passing' [source k]");
  });

  it("a flow that uses a missing document is accepted with a warning until it is installed", async () => {
    const steps = [
      'to: "message-mapping:absent-document"',
      "choice: {when: [{simple: '${body}', steps: [{to: {uri: value-mapping, parameters: {table: absent-table, from: a, to: b}}}]}]}",
      'to: "message-mapping:absent-document"',
      'toD: "message-mapping:${header.which}"',
    ];
    const yaml = webhook("early", ...steps);
    const document = "message mapping 'absent-document' is not installed yet (install it with PUT /_api/message-mappings/absent-document)";
    const table = "value-mapping table 'absent-table' is not installed yet (install it with PUT /_api/value-mappings/absent-table)";
    const first = await server.putFlow("early", yaml);
    expect([first.status, first.json.warnings]).toEqual([201, [`line 6: ${document}`, `line 7: ${table}`]]);
    const { valid, problems } = (await server.api("POST", "/flows/validate?id=early", { yaml })).json;
    expect([valid, problems.length, problems[0]]).toEqual([
      true,
      2,
      { severity: "warning", line: 6, column: 11, routeId: "early", stepId: "to1", code: "mapping-unknown", message: document },
    ]);
    await put("absent-document", jsonRules({ to: "x", value: 1 }));
    await server.api("PUT", "/value-mappings/absent-table", { columns: ["a", "b"], rows: [["1", "2"]] });
    expect((await server.api("POST", "/flows/validate?id=early", { yaml })).json).toEqual({ valid: true, problems: [] });
    expect((await server.putFlow("early", `# again\n${yaml}`)).json.warnings).toEqual([]);
  });

  it("DELETE removes a document and lists its users", async () => {
    await put("leaving", jsonRules({ to: "x", value: 1 }));
    await server.putFlow("leaving-user", webhook("leaving-user", 'to: "message-mapping:leaving"'));
    expect((await call(server.baseUrl, "POST", "/api/leaving-user", "{}")).json).toEqual({ x: 1 });
    const removed = await server.api("DELETE", "/message-mappings/leaving");
    expect([removed.status, removed.json]).toEqual([200, { id: "leaving", deleted: true, usedBy: ["flow:leaving-user"] }]);
    expect((await server.api("GET", "/message-mappings")).json.messageMappings.map((entry: { id: string }) => entry.id)).not.toContain("leaving");
    expect((await call(server.baseUrl, "POST", "/api/leaving-user", "{}")).text).toContain("message mapping 'leaving' not found");
    expect((await server.api("DELETE", "/message-mappings/leaving")).json).toEqual({ error: "message mapping 'leaving' not found" });
  });

  it("two ids coexist", async () => {
    await put("one", jsonRules({ to: "x", value: 1 }));
    await put("two", jsonRules({ to: "x", value: 2 }));
    expect([(await execute("one", { input: {} })).json.output, (await execute("two", { input: {} })).json.output]).toEqual([{ x: 1 }, { x: 2 }]);
  });
});

describe("the examples of the contract", () => {
  it.each([
    ["order", orderToOrder],
    ["invoice", invoiceToJson],
    ["orders", csvToOrders],
  ])("%s: execute and a flow return the output of the contract", async (id, { document, input, output }) => {
    expect((await put(`example-${id}`, document)).status).toBe(201);
    const reply = await execute(`example-${id}`, { input });
    expect([reply.status, reply.json]).toEqual([200, { output, errors: [], durationMs: expect.any(Number) }]);
    expect(Number.isInteger(reply.json.durationMs)).toBe(true);
    await server.putFlow(`example-${id}`, webhook(`example-${id}`, `to: "message-mapping:example-${id}"`));
    const response = await call(server.baseUrl, "POST", `/api/example-${id}`, typeof input === "string" ? input : JSON.stringify(input));
    expect([response.headers.get("content-type"), response.json]).toEqual(["application/json", output]);
  });

  it("errors name the target field, then the source", async () => {
    await put("failing-order", orderToOrder.document);
    const input = structuredClone(orderToOrder.input);
    input.lines[0].unit = "crate";
    const message = `items[0].uom: no entry for "crate" in value-mapping table 'uom' (shop -> sap) [source lines[0].unit]`;
    const reply = await execute("failing-order", { input });
    expect(reply.json).toMatchObject({
      output: null,
      errors: [{ field: "items[0].uom", rule: "map[6].map[3]", code: "lookup", message, source: "lines[0].unit", value: "crate" }],
    });
    await server.putFlow("failing-order", webhook("failing-order", 'to: "message-mapping:failing-order"'));
    const response = await call(server.baseUrl, "POST", "/api/failing-order", JSON.stringify(input));
    expect(response.json.error).toContain(message);
    await put("failing-csv", csvToOrders.document);
    const csv = await execute("failing-csv", { input: csvToOrders.input.replace(/4$/, "x") });
    expect(csv.json.errors[0].message).toBe('orders[1].items[0].qty: expected integer, got "x" [source rows[2].Qty]');
  });
});

describe("rejections", () => {
  it.each([
    [
      jsonRules({ to: "items[]", forEach: "lines", map: [{ to: "uom", lookup: { table: "uomx", key: "unit" } }] }),
      422,
      "message mapping 'm': items[].uom: unknown value-mapping table 'uomx'",
    ],
    [jsonRules({ to: "x.y", expr: "nosuch(1)" }), 422, "message mapping 'm': x.y: unknown function 'nosuch'"],
    [jsonRules({ to: "x" }), 422, "message mapping 'm': x: exactly one of from, value, expr, lookup, switch, use, map or forEach is required"],
    [jsonRules({ to: "x", from: "a", value: 1 }), 422, "message mapping 'm': x: only one of from, value is allowed"],
    [
      { ...jsonRules({ to: "x", value: 1 }), tests: [{ name: "one", input: {}, output: { x: 2 } }] },
      422,
      "message mapping 'm': test 'one' failed: x: expected 2, got 1",
    ],
    [{ map: [] }, 422, "message mapping 'm': source: expected an object with format, one of json, xml, csv, fixed, edi (and 1 more problem)"],
    ["[]", 400, "the request body must be a JSON object"],
    ["{nonsense", 400, "invalid JSON body: unexpected character at line 1, column 2"],
  ])("%j is rejected and not installed", async (body, status, error) => {
    const reply = await put("m", body);
    expect([reply.status, reply.json]).toEqual([status, { error }]);
    expect((await server.api("GET", "/message-mappings/m")).json).toEqual({ error: "message mapping 'm' not found" });
  });

  it("a rejected replacement keeps the old document in use", async () => {
    await put("steady", jsonRules({ to: "x", value: 1 }));
    expect((await put("steady", jsonRules({ to: "x", expr: "1 +" }))).status).toBe(422);
    expect((await execute("steady", { input: {} })).json.output).toEqual({ x: 1 });
  });

  it("execute requires an input and an installed document", async () => {
    await put("asked", jsonRules({ to: "x", expr: "$params.plant + $headers.Site" }));
    expect((await execute("asked", {})).json).toEqual({ error: "input is required" });
    expect((await execute("asked", { input: {}, headers: [] })).status).toBe(400);
    expect((await execute("nosuch", { input: 1 })).json).toEqual({ error: "message mapping 'nosuch' not found" });
    expect((await execute("asked", { input: {}, params: { plant: "1000-" }, headers: { site: "B" } })).json.output).toEqual({ x: "1000-B" });
  });

  it("names of prototype members never change a prototype", async () => {
    const reply = await put(
      "proto",
      '{"source":{"format":"json"},"target":{"format":"json"},"map":[{"to":"__proto__.polluted","value":true},{"to":"constructor.prototype.polluted","value":true},{"to":"x","from":"__proto__"},{"to":"y","from":"constructor.name"}]}',
    );
    expect(reply.status).toBe(201);
    const { output } = (await execute("proto", '{"input":{"__proto__":{"a":1}}}')).json;
    expect(JSON.stringify(output)).toBe('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"x":{"a":1}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("a mapping that exceeds the value or step limit fails, and a recursive schema is accepted quickly", async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => index);
    await put("many-values", jsonRules({ to: "x[]", forEach: "lines", map: [{ to: "all", from: "$.lines" }] }));
    await put("many-steps", jsonRules({ to: "x", expr: "count(lines[*].($.lines))" }));
    await server.putFlow("many-values", webhook("many-values", 'to: "message-mapping:many-values"'));
    const reply = await call(server.baseUrl, "POST", "/api/many-values", JSON.stringify({ lines }));
    expect([reply.status, reply.json.error]).toEqual([500, expect.stringContaining("the mapping writes more than 2000000 values for one message")]);
    expect((await execute("many-steps", { input: { lines } })).json.errors[0].message).toBe("x: the mapping takes more than 5000000 steps for one message");
    const members = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, { $ref: "#" }]));
    const schema = { type: "object", properties: members };
    const recursive = await put("recursive", {
      ...jsonRules({ to: "m1.m2", from: "m3.m4.m5" }),
      source: { format: "json", schema },
      target: { format: "json", schema },
    });
    expect(recursive.status).toBe(201);
  });

  it("a deeply nested document or input is rejected without a crash", async () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const deep = nested(900);
    expect((await put("deep", `{"source":{"format":"json"},"target":{"format":"json"},"map":[{"to":"x","value":${deep}}]}`)).json).toEqual({
      error: "message mapping 'deep': the document is nested deeper than 200 levels",
    });
    await put("copy", jsonRules({ to: "x", from: "a" }));
    expect((await execute("copy", `{"input":${deep}}`)).json.errors[0].message).toBe("x: a value is nested deeper than 200 levels [source a]");
    const refused = await execute("copy", `{"input":${nested(5_000)}}`);
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringMatching(/^invalid JSON body: it .*1,?000 levels/)]);
  });
});

describe("in flows", () => {
  it("a replaced document takes effect with the next message", async () => {
    await put("versions", jsonRules({ to: "v", value: 1 }));
    await server.putFlow("versions", webhook("versions", 'to: "message-mapping:versions"'));
    expect((await call(server.baseUrl, "POST", "/api/versions", "{}")).json).toEqual({ v: 1 });
    await put("versions", { ...jsonRules({ to: "v", value: 2 }), target: { format: "xml", root: "r" } });
    const reply = await call(server.baseUrl, "POST", "/api/versions", "{}");
    expect([reply.text, reply.headers.get("content-type")]).toEqual(['<?xml version="1.0" encoding="UTF-8"?><r><v>2</v></r>', "application/xml"]);
  });

  it("passes the endpoint's options as $params", async () => {
    await put("with-params", jsonRules({ to: "plant", from: "$params.plant" }));
    await server.putFlow("with-params", webhook("with-params", 'to: "message-mapping:with-params?plant=1000"'));
    expect((await call(server.baseUrl, "POST", "/api/with-params", "{}")).json).toEqual({ plant: "1000" });
  });

  it("other languages are evaluated against the current item", async () => {
    const rules = [
      { to: "path", expr: { jsonpath: "$.items[1].sku" } },
      { to: "simple", expr: { simple: "${body.id}-${header.site}" } },
      { to: "jsonata", expr: { jsonata: "$sum(items.qty)" } },
      { to: "skus[]", forEach: "items", expr: { jq: ".sku" } },
    ];
    expect((await put("languages", jsonRules(...rules))).json.warnings).toEqual([]);
    const { output, errors } = (
      await execute("languages", {
        input: {
          id: 7,
          items: [
            { sku: "a", qty: 1 },
            { sku: "b", qty: 2 },
          ],
        },
        headers: { site: "B" },
      })
    ).json;
    expect([output, errors]).toEqual([{ path: "b", simple: "7-B", jsonata: 3, skus: ["a", "b"] }, []]);
    expect((await put("wrong-language", jsonRules({ to: "x", expr: { cobol: "MOVE" } }))).json).toEqual({
      error: "message mapping 'wrong-language': x: unknown language 'cobol'",
    });
  });
});

it("operator functions can be called", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  writeFileSync(join(dataDir, "functions.mjs"), "export const checkDigit = (text) => String(text).length % 10;");
  const separate = await startTestServer({ dataDir, env: { SERVICE_FUNCTIONS: join(dataDir, "functions.mjs") } });
  try {
    expect((await separate.api("PUT", "/message-mappings/m", jsonRules({ to: "x", expr: "sku + checkDigit(sku)" }))).status).toBe(201);
    expect((await separate.api("POST", "/message-mappings/m/execute", { input: { sku: "abc" } })).json.output).toEqual({ x: "abc3" });
  } finally {
    await separate.end();
  }
});

it("integers beyond the range of a double keep all their digits", async () => {
  await put("long-number", jsonRules({ to: "id", from: "order" }));
  await server.putFlow("long-number", webhook("long-number", 'to: "message-mapping:long-number"'));
  expect((await call(server.baseUrl, "POST", "/api/long-number", '{"order": 12345678901234567890}')).text).toBe('{"id":12345678901234567890}');
  expect((await execute("long-number", { input: '{"order": 12345678901234567890}' })).json.output).toEqual({ id: Number("12345678901234567890") });
});

describe("imports", () => {
  it("rejects a change that fails a test of an importer", async () => {
    const shelf = (to: string) => ({ ...jsonRules(), parts: { shelf: { map: [{ to, value: 1 }] } } });
    await put("shelf", shelf("a"));
    await put("shelf-user", { ...jsonRules({ to: "s", use: "shelf" }), import: ["shelf"], tests: [{ name: "kept", input: {}, output: { s: { a: 1 } } }] });
    expect((await put("shelf", shelf("b"))).json).toEqual({
      error: "message mapping 'shelf': message mapping 'shelf-user', which imports it, would break: test 'kept' failed: s.a: expected 1, got no value",
    });
    expect((await execute("shelf-user", { input: {} })).json.output).toEqual({ s: { a: 1 } });
  });

  it("shares parts, rejects a change that breaks an importer, and reports missing parts after a removal", async () => {
    const library = { ...jsonRules(), parts: { address: { map: [{ to: "city", from: "city" }] } } };
    await put("library", library);
    expect((await put("importer", { ...jsonRules({ to: "a", use: "address", with: "addr" }), import: ["library"] })).status).toBe(201);
    expect((await execute("importer", { input: { addr: { city: "Rome" } } })).json.output).toEqual({ a: { city: "Rome" } });
    await put("library", { ...library, parts: { address: { map: [{ to: "town", from: "city" }] } } });
    expect((await execute("importer", { input: { addr: { city: "Rome" } } })).json.output).toEqual({ a: { town: "Rome" } });
    expect((await put("library", jsonRules())).json).toEqual({
      error: "message mapping 'library': message mapping 'importer', which imports it, would break: a: unknown part 'address'",
    });
    expect((await server.api("DELETE", "/message-mappings/library")).json.usedBy).toEqual(["message-mapping:importer"]);
    expect((await execute("importer", { input: {} })).json).toEqual({
      error: "message mapping 'importer': unknown message mapping 'library' (and 1 more problem)",
    });
    await put("library", library);
  });
});

describe("across a restart", () => {
  it("documents are kept; broken ones are listed with their error; missing tables are reported when used", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const first = await startTestServer({ dataDir });
    await first.api("PUT", "/value-mappings/uom", orderTables.uom);
    await first.api("PUT", "/message-mappings/kept", jsonRules({ to: "u", lookup: { table: "uom", key: "unit", from: "shop", to: "sap" } }));
    await first.api("PUT", "/message-mappings/zz-user", { ...jsonRules({ to: "a", use: "p" }), parts: { p: { map: [{ to: "x", value: 1 }] } } });
    await first.api("DELETE", "/value-mappings/uom");
    await first.stop();
    writeFileSync(join(dataDir, "message-mappings", "broken.json"), '{"source":{"format":"json"},"target":{"format":"json"},"map":[{"to":"x","expr":"1 +"}]}');
    const second = await startTestServer({ dataDir });
    try {
      const list = (await second.api("GET", "/message-mappings")).json.messageMappings;
      expect(list).toEqual([
        expect.objectContaining({ id: "broken", error: "x: unexpected end of the expression at column 4 of '1 +'" }),
        expect.objectContaining({ id: "kept", uses: ["uom"] }),
        expect.objectContaining({ id: "zz-user" }),
      ]);
      const run = await second.api("POST", "/message-mappings/kept/execute", { input: { unit: "box" } });
      expect(run.json.errors[0].message).toBe("u: unknown value-mapping table 'uom' [source unit]");
      await second.api("PUT", "/value-mappings/uom", orderTables.uom);
      expect((await second.api("POST", "/message-mappings/kept/execute", { input: { unit: "box" } })).json.output).toEqual({ u: "KAR" });
      expect((await second.api("POST", "/message-mappings/broken/execute", { input: {} })).status).toBe(422);
    } finally {
      await second.end();
    }
  });

  it("a killed process leaves each file complete, old or new", async () => {
    const first = await spawnServer();
    expect((await first.api("PUT", "/value-mappings/big", rows(0))).status).toBe(201);
    let acknowledged = 0;
    const writing = (async () => {
      for (let version = 1; version <= 200; version++) {
        const reply = await first.api("PUT", "/value-mappings/big", rows(version)).catch(() => undefined);
        if (reply?.status !== 200) return;
        acknowledged = version;
      }
    })();
    await eventually(() => acknowledged >= 3);
    await first.end("SIGKILL");
    await writing;
    const file = JSON.parse(readFileSync(join(first.dataDir, "value-mappings", "big.json"), "utf8")) as { rows: [string, number][] };
    const versions = new Set(file.rows.map(([, version]) => version));
    expect([file.rows.length, versions.size]).toEqual([20_000, 1]);
    expect([acknowledged, acknowledged + 1]).toContain([...versions][0]);
    const second = await spawnServer({ dataDir: first.dataDir });
    expect((await second.api("GET", "/value-mappings")).json.valueMappings[0]).toMatchObject({ id: "big", rowCount: 20_000 });
    expect(readdirSync(join(first.dataDir, "value-mappings"))).toEqual(["big.json"]);
    await second.end();
    second.clean();
  });
});
