// Value-mapping tables over the management API, in flows, and across restarts.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, directFlow, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

const units = JSON.parse(`{"name":"Units of measure","onMissing":"error","match":"exact",
 "columns":[{"id":"shop","agency":"SHOP","identifier":"unit"},{"id":"sap","agency":"SAP","identifier":"MEINS","default":"ST"},"edi"],
 "rows":[["piece","ST","PCE"],["box","KAR","CT"],["each","ST",null]]}`);
const put = (id: string, body: unknown, headers: Record<string, string> = {}) => server.api("PUT", `/value-mappings/${id}`, body, headers);
const listed = async (): Promise<readonly { id: string }[]> => (await server.api("GET", "/value-mappings")).json.valueMappings;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const hex = /^[0-9a-f]{64}$/;
const fileOf = (id: string): string => join(server.dataDir, "value-mappings", `${id}.json`);

/** A webhook that replies with a step's result. */
async function replyOf(routeId: string, step: string, body: string): Promise<string> {
  const yaml = `- route:\n    id: ${routeId}\n    from:\n      uri: webhook?muteException=false\n      steps:\n        - ${step}\n`;
  const installed = await server.putFlow(routeId, yaml);
  expect(installed.json).toMatchObject({ id: routeId });
  return (await call(server.baseUrl, "POST", `/api/${routeId}`, body)).text;
}

describe("install, list, read, remove", () => {
  it("the reply, the list and the body match the contract", async () => {
    const reply = await put("uom", units);
    expect([reply.status, reply.json]).toEqual([
      201,
      {
        id: "uom",
        created: true,
        columns: ["shop", "sap", "edi"],
        rowCount: 3,
        hash: expect.stringMatching(hex),
        lastModified: expect.stringMatching(isoTime),
        warnings: ["sap 'ST' maps back to 'piece' (rows 1, 3)"],
      },
    ]);
    expect(reply.headers.get("etag")).toBe(`"${reply.json.hash}"`);
    expect(
      createHash("sha256")
        .update(readFileSync(fileOf("uom")))
        .digest("hex"),
    ).toBe(reply.json.hash);
    const { hash, lastModified } = reply.json;
    expect((await server.api("GET", "/value-mappings")).json).toEqual({
      valueMappings: [{ id: "uom", name: "Units of measure", columns: ["shop", "sap", "edi"], rowCount: 3, hash, lastModified }],
      total: 1,
    });
    const read = await server.api("GET", "/value-mappings/uom");
    expect([read.json, read.headers.get("etag")]).toEqual([units, `"${hash}"`]);
    const replaced = await put("uom", { entries: { piece: "ST" } });
    expect([replaced.status, replaced.json.created, replaced.json.columns]).toEqual([200, false, ["from", "to"]]);
    expect((await server.api("GET", "/value-mappings/uom")).json).toEqual({ entries: { piece: "ST" } });
  });

  it("two ids coexist, and lists are sorted", async () => {
    await put("zeta", { entries: { a: "1" } });
    await put("alpha", { entries: { a: "2" } });
    const ids = (await listed()).map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(ids).toEqual(expect.arrayContaining(["alpha", "zeta"]));
  });

  it("a removed table is deleted, its users are listed, and later use reports it", async () => {
    await put("gone", { entries: { a: "b" } });
    await put("unused", { entries: { a: "b" } });
    expect(await replyOf("gone-user", `to: "value-mapping:gone"`, "a")).toBe("b");
    await server.api("PUT", "/message-mappings/gone-mapper", {
      source: { format: "json" },
      target: { format: "json" },
      map: [{ to: "x", lookup: { table: "gone", key: "k" } }],
    });
    await server.putFlow("gone-simple", directFlow("gone-simple", `setBody: {simple: "\${valueMapping(gone,from,to,\${body})}"}`));
    await server.putFlow("gone-long", directFlow("gone-long", `to: {uri: value-mapping, parameters: {table: gone}}`));
    const removed = await server.api("DELETE", "/value-mappings/gone");
    expect([removed.status, removed.json]).toEqual([
      200,
      { id: "gone", deleted: true, usedBy: ["message-mapping:gone-mapper", "flow:gone-long", "flow:gone-simple", "flow:gone-user"] },
    ]);
    expect((await listed()).map(({ id }) => id)).not.toContain("gone");
    expect(readdirSync(join(server.dataDir, "value-mappings"))).not.toContain("gone.json");
    const failed = await call(server.baseUrl, "POST", "/api/gone-user", "a");
    expect([failed.status, failed.text]).toEqual([500, expect.stringContaining("unknown value-mapping table 'gone'")]);
    expect((await server.api("DELETE", "/value-mappings/unused")).json).toEqual({ id: "unused", deleted: true, usedBy: [] });
  });

  it("a flow, a table and a document of one id are independent", async () => {
    await server.putFlow("same-id", replyFlow("same-id", "flow"));
    await put("same-id", { entries: { a: "table" } });
    await server.api("PUT", "/message-mappings/same-id", { source: { format: "json" }, target: { format: "json" }, map: [{ to: "x", value: 1 }] });
    await server.api("DELETE", "/value-mappings/same-id");
    expect((await call(server.baseUrl, "POST", "/api/same-id", "x")).text).toBe("flow");
    expect((await server.api("GET", "/message-mappings/same-id")).status).toBe(200);
    expect((await server.api("GET", "/value-mappings/same-id")).json).toEqual({ error: "value mapping 'same-id' not found" });
  });

  it("If-Match prevents lost updates", async () => {
    const { hash } = (await put("raced", { entries: { a: "1" } })).json;
    expect((await put("raced", { entries: { a: "2" } }, { "if-match": `"${hash}"` })).status).toBe(200);
    const outdated = await put("raced", { entries: { a: "3" } }, { "if-match": `"${hash}"` });
    expect([outdated.status, outdated.json]).toEqual([412, { error: `value mapping 'raced' changed since hash ${hash}` }]);
    expect((await server.api("DELETE", "/value-mappings/raced", undefined, { "if-match": `"${hash}"` })).status).toBe(412);
    expect((await put("never-there", { entries: {} }, { "if-match": "*" })).status).toBe(412);
  });
});

describe("CSV and SAP's XML", () => {
  it("a table can be written and read as CSV", async () => {
    const reply = await put("csv", 'shop,sap\r\npiece,ST\r\n"a, b",\r\n', { "content-type": "text/csv" });
    expect([reply.status, reply.json.columns, reply.json.rowCount]).toEqual([201, ["shop", "sap"], 2]);
    expect((await server.api("GET", "/value-mappings/csv")).json).toEqual({
      columns: ["shop", "sap"],
      rows: [
        ["piece", "ST"],
        ["a, b", null],
      ],
    });
    const read = await server.api("GET", "/value-mappings/csv", undefined, { accept: "text/csv" });
    expect([read.text, read.headers.get("content-type")]).toEqual(['shop,sap\r\npiece,ST\r\n"a, b",\r\n', "text/csv; charset=utf-8"]);
  });

  it("a table can be written and read as value_mapping.xml", async () => {
    const xml = `<vm version="2.0"><group id="1"><entry><agency>SHOP</agency><schema>unit</schema><value>each</value></entry><entry><agency>SAP</agency><schema>MEINS</schema><value>ST</value></entry></group><group id="2"><entry isDefault="true"><agency>SHOP</agency><schema>unit</schema><value>piece</value></entry><entry><agency>SAP</agency><schema>MEINS</schema><value>ST</value></entry></group></vm>`;
    const reply = await put("sapxml", xml, { "content-type": "application/xml" });
    expect([reply.status, reply.json.columns]).toEqual([201, ["SHOP|unit", "SAP|MEINS"]]);
    expect(await replyOf("sapxml-back", `to: {uri: value-mapping, parameters: {table: sapxml, from: "SAP|MEINS", to: "SHOP|unit"}}`, "ST")).toBe("piece");
    const read = await server.api("GET", "/value-mappings/sapxml", undefined, { accept: "application/xml" });
    expect(read.headers.get("content-type")).toBe("application/xml");
    expect((await put("sapxml2", read.text, { "content-type": "application/xml" })).json.rowCount).toBe(2);
  });
});

describe("in flows", () => {
  it("the step and Simple look up values, and use a replaced table immediately", async () => {
    await put("live", units);
    expect(await replyOf("live-step", `to: "value-mapping:live?from=shop&to=sap"`, "box")).toBe("KAR");
    expect(await replyOf("live-simple", `setBody: {simple: "\${valueMapping(live,shop,sap,\${body.unit})}"}`, '{"unit":"piece"}')).toBe("ST");
    expect((await call(server.baseUrl, "POST", "/api/live-step", "crate")).text).toContain(
      `no entry for \\"crate\\" in value-mapping table 'live' (shop -> sap)`,
    );
    expect(await replyOf("live-default", `to: "value-mapping:live?from=shop&to=sap&onMissing=default"`, "crate")).toBe("ST");
    expect(await replyOf("live-key", `to: "value-mapping:live?from=shop&to=sap&onMissing=key"`, "crate")).toBe("crate");
    await put("live", { columns: ["shop", "sap"], rows: [["box", "NEW"]] });
    expect((await call(server.baseUrl, "POST", "/api/live-step", "box")).text).toBe("NEW");
  });
});

describe("rejections", () => {
  it.each([
    ["[1]", {}, 400, "the request body must be a JSON object"],
    ["{", {}, 400, "invalid JSON body: unexpected character at line 1, column 2"],
    ["", {}, 400, "invalid JSON body: the body is empty"],
    ["{}", {}, 422, "value mapping 'bad': columns: expected a list of at least two columns (and 1 more problem)"],
    ['{"columns":["a","b"],"rows":[["x"]]}', {}, 422, "value mapping 'bad': rows[0]: expected 2 cells, got 1"],
    ['a,b\n"x', { "content-type": "text/csv" }, 400, "invalid CSV body: the CSV ends inside a quoted value (line 2)"],
    [
      "<!DOCTYPE vm><vm/>",
      { "content-type": "application/xml" },
      400,
      "invalid XML body: XML with a DOCTYPE is rejected (line 1, column 1): remove the declaration; entities and external files are never read",
    ],
    ["x", { "content-type": "application/octet-stream" }, 415, "unsupported content type 'application/octet-stream'"],
  ])("%j", async (body, headers, status, error) => {
    const reply = await put("bad", body, headers as Record<string, string>);
    expect([reply.status, reply.json]).toEqual([status, { error }]);
    expect((await listed()).map(({ id }) => id)).not.toContain("bad");
  });

  it("ids are those of the contract, and differ in more than case", async () => {
    expect((await put("..%2fx", units)).json).toEqual({ error: "invalid id '../x': use letters, digits, '.', '_', '-' (max 128)" });
    expect((await put("con", units)).status).toBe(400);
    await put("Case", units);
    expect((await put("case", units)).json).toEqual({ error: "value mapping id 'case' differs from value mapping 'Case' only in case" });
    expect((await server.api("GET", "/value-mappings/nosuch")).json).toEqual({ error: "value mapping 'nosuch' not found" });
    expect((await server.api("DELETE", "/value-mappings/nosuch")).status).toBe(404);
    expect((await server.api("POST", "/value-mappings/x", {})).status).toBe(405);
  });

  it("names of prototype members are data or rejected", async () => {
    expect((await put("proto", '{"entries":{"__proto__":"p","constructor":"c"}}')).status).toBe(201);
    expect(await replyOf("proto-ask", `to: "value-mapping:proto"`, "__proto__")).toBe("p");
    expect((await put("proto2", '{"__proto__":{"polluted":true},"columns":["a","b"],"rows":[]}')).status).toBe(422);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("across a restart", () => {
  it("tables stay, a broken file is listed with its error and does not prevent the start, leftovers are removed", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const directory = join(dataDir, "value-mappings");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "broken.json"), "{ no json");
    writeFileSync(join(directory, "wrong.json"), '{"columns":["a"],"rows":[]}');
    writeFileSync(join(directory, ".uom.json.0123456789abcdef.tmp"), "half");
    const first = await startTestServer({ dataDir });
    const { hash } = (await first.api("PUT", "/value-mappings/kept", units)).json;
    await first.stop();
    const second = await startTestServer({ dataDir });
    try {
      const list = (await second.api("GET", "/value-mappings")).json;
      expect(list.valueMappings).toEqual([
        expect.objectContaining({ id: "broken", rowCount: 0, error: "the file is not JSON" }),
        expect.objectContaining({ id: "kept", hash, rowCount: 3 }),
        expect.objectContaining({ id: "wrong", error: "columns: expected a list of at least two columns" }),
      ]);
      expect(readdirSync(directory).sort()).toEqual(["broken.json", "kept.json", "wrong.json"]);
      expect(second.logText()).toContain("Cannot use value mapping 'broken': the file is not JSON");
      expect((await second.api("PUT", "/value-mappings/broken", units)).status).toBe(200);
    } finally {
      await second.end();
    }
  });
});
