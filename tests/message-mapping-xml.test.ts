// XML as the source of message mappings on a real server: other languages that read it, namespaces, and webhook bytes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type ApiReply, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

const put = (id: string, source: Readonly<Record<string, unknown>>, map: readonly unknown[], extra: object = {}): Promise<ApiReply> =>
  server.api("PUT", `/message-mappings/${id}`, { source: { format: "xml", ...source }, target: { format: "json" }, map, ...extra });
async function mapped(id: string, input: string): Promise<unknown> {
  const { output, errors } = (await server.api("POST", `/message-mappings/${id}/execute`, { input })).json;
  return errors.length > 0 ? errors[0].message : output;
}

describe("xpath in a rule", () => {
  const invoice = `<!-- made by hand --><i:Invoice xmlns:i="urn:acme" currency="EUR"><i:ID>7</i:ID><i:Line no="1"><i:Qty>2</i:Qty></i:Line><i:Line no="2"><i:Qty>3</i:Qty></i:Line></i:Invoice>`;
  const source = { namespaces: { inv: "urn:acme" } };

  it("is evaluated against the whole message at the top level, with the prefixes of the document", async () => {
    const map = [
      { to: "one", expr: { xpath: "/inv:Invoice/inv:ID/text()" } },
      { to: "attribute", expr: { xpath: "/*/@currency" } },
      { to: "several", expr: { xpath: "//inv:Qty" } },
      { to: "sum", expr: { xpath: "sum(//inv:Qty)" }, type: "number" },
      { to: "comment", expr: { xpath: "normalize-space(/comment())" } },
      { to: "none", expr: { xpath: "//inv:None" }, default: "nothing" },
    ];
    expect((await put("top", source, map)).json.warnings).toEqual([]);
    expect(await mapped("top", invoice)).toEqual({ one: "7", attribute: "EUR", several: ["2", "3"], sum: 5, comment: "made by hand", none: "nothing" });
  });

  it("is evaluated against the current item as a separate document, regardless of how it was reached", async () => {
    const qty = { xpath: "concat(/inv:Line/@no, ':', /inv:Line/inv:Qty, ':', count(//*))" };
    const map = [
      { to: "plain[]", forEach: "inv:Line", expr: qty },
      { to: "filtered[]", forEach: "inv:Line[? @no > 1]", expr: qty },
      { to: "variable[]", forEach: "$lines", expr: qty },
      { to: "grouped[]", forEach: "inv:Line", groupBy: "@no", map: [{ to: "inner[]", forEach: "$group", expr: qty }] },
      { to: "part", use: "line", with: "inv:Line[1]" },
      { to: "texts[]", forEach: "inv:Line[*].inv:Qty", expr: { xpath: "string(/inv:Qty)" } },
    ];
    const extra = { vars: [{ name: "lines", expr: "inv:Line" }], parts: { line: { map: [{ to: "q", expr: qty }] } } };
    expect((await put("items", source, map, extra)).status).toBe(201);
    expect(await mapped("items", invoice)).toEqual({
      plain: ["1:2:2", "2:3:2"],
      filtered: ["2:3:2"],
      variable: ["1:2:2", "2:3:2"],
      grouped: [{ inner: ["1:2:2"] }, { inner: ["2:3:2"] }],
      part: { q: "2:3:2" },
      texts: ["2", "3"],
    });
  });

  it("finds names of namespaces the document does not declare by their local names", async () => {
    await put("local", {}, [
      { to: "top", expr: { xpath: "string(//*:ID)" } },
      { to: "items[]", forEach: "['i:Line']", expr: { xpath: "string(//*:Qty)" } },
    ]);
    expect(await mapped("local", invoice)).toEqual({ top: "7", items: ["2", "3"] });
  });

  it("is checked at installation", async () => {
    expect((await put("wrong", source, [{ to: "x", expr: { xpath: "//nosuch:ID" } }])).json.error).toMatch(
      /^message mapping 'wrong': x: the xpath expression is invalid: .*nosuch/,
    );
    expect((await put("wrong", source, [{ to: "x", expr: { xpath: "//(" } }])).status).toBe(422);
  });
});

describe("namespaces", () => {
  it("a prefix bound to another namespace in the message is not confused with the document's own", async () => {
    await put("clash", { root: "inv:R", namespaces: { inv: "urn:acme" } }, [
      { to: "own", from: "inv:V" },
      { to: "other", from: "['{urn:other}V']" },
    ]);
    expect(await mapped("clash", `<a:R xmlns:a="urn:acme"><a:V>1</a:V><inv:V xmlns:inv="urn:other">2</inv:V></a:R>`)).toEqual({ own: "1", other: "2" });
    expect(await mapped("clash", `<inv:R xmlns:inv="urn:other"/>`)).toBe("expected the root element <inv:R>, got <{urn:other}R>");
  });
});

describe("bytes", () => {
  it("are read in their declared encoding, and rejected when invalid", async () => {
    await put("bytes", {}, [{ to: "name", from: "name" }]);
    await server.putFlow("bytes", `- route:\n    id: bytes\n    from:\n      uri: webhook\n      steps:\n        - to: "message-mapping:bytes"\n`);
    const send = async (bytes: Uint8Array<ArrayBuffer>): Promise<[number, string]> => {
      const reply = await fetch(`${server.baseUrl}/api/bytes`, { method: "POST", body: bytes });
      return [reply.status, await reply.text()];
    };
    const latin = Uint8Array.from(Array.from("<?xml version='1.0' encoding='ISO-8859-1'?><r><name>Köln</name></r>"), (character) => character.charCodeAt(0));
    expect(await send(latin)).toEqual([200, '{"name":"Köln"}']);
    expect(await send(Uint8Array.from(Buffer.from("\ufeff<r><name>Łódź</name></r>", "utf16le")))).toEqual([200, '{"name":"Łódź"}']);
    expect((await send(latin.slice(latin.indexOf(62) + 1)))[0]).toBe(400);
  });
});
