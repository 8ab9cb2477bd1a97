// The declarations of a rest service, from the caller's point of view.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

const json = { "content-type": "application/json" };
const put = async (yaml: string): Promise<void> => {
  const reply = await server.putFlow("shop", yaml);
  expect([reply.status, reply.text]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
};

describe("a rest service", () => {
  it("responds with its declared content type, unless the route sets one", async () => {
    await put(`
- rest:
    path: /p
    produces: application/json
    get:
      - {path: /service, to: "direct:a"}
      - {path: /own, produces: "text/csv", to: "direct:b"}
      - {path: /set, to: "direct:c"}
- from: {uri: "direct:a", steps: [{setBody: {constant: '{"a":1}'}}]}
- from: {uri: "direct:b", steps: [{setBody: {constant: "a,b"}}]}
- from: {uri: "direct:c", steps: [{setBody: {constant: "<a/>"}}, {setHeader: {name: Content-Type, constant: application/xml}}]}
`);
    const type = async (path: string) => (await call(server.baseUrl, "GET", path)).headers.get("content-type");
    expect([await type("/p/service"), await type("/p/own"), await type("/p/set")]).toEqual(["application/json", "text/csv", "application/xml"]);
  });

  it("may send several operations to one queue, but not to one direct route", async () => {
    const flow = (target: string): string => `
- rest:
    path: /shared
    get: [{path: /a, to: "${target}"}, {path: /b, to: "${target}"}]
- from: {uri: "${target}", steps: [{setBody: {simple: "reply to \${header.CamelHttpPath}"}}]}
`;
    await put(flow("seda:shared"));
    expect((await call(server.baseUrl, "GET", "/shared/b")).text).toBe("reply to /shared/b");
    const refused = await server.putFlow("shop", flow("direct:shared"));
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("two REST operations have the target 'direct:shared'")]);
  });

  it("can be a single endpoint, with the options that Camel's editors write", async () => {
    await put(`
- from:
    uri: rest:get:policies
    parameters: {uriTemplate: "{id}", bindingMode: auto, queryParameters: year, outType: "", produces: text/plain}
    steps: [{setBody: {simple: "\${header.id} in \${header.year}"}}]
`);
    expect((await call(server.baseUrl, "GET", "/policies/7?year=2020")).text).toBe("7 in 2020");
  });

  it("serves its OpenAPI document at the path of the configuration", async () => {
    await put(`
- restConfiguration:
    contextPath: /shop
    apiContextPath: /api-doc
    apiProperty: [{key: api.title, value: Shop}, {key: api.version, value: "2.1"}, {key: api.contact.name, value: Desk}]
- rest:
    path: /orders
    tag: orders
    description: Orders of customers
    produces: application/json
    securityDefinitions:
      apiKey: {key: token, name: X-Token, inHeader: "true"}
      oauth2: {key: sign-in, tokenUrl: "https://id.example/token", scopes: [{key: read, value: Read orders}]}
    get:
      - id: order
        path: /{number}
        description: One order
        security: [{key: token}, {key: sign-in, scopes: "read, write"}]
        param:
          - {name: number, type: path, dataType: integer, description: Its number}
          - {name: view, type: query, required: false, defaultValue: short, allowableValues: [short, full]}
        responseMessage: [{code: 200, message: The order}, {code: 404, message: No such order, contentType: text/plain}]
        to: "direct:order"
      - {path: /internal, apiDocs: "false", to: "direct:internal"}
      - {path: /off, to: {uri: "direct:internal", disabled: true}}
    post:
      - {consumes: application/json, param: [{name: body, type: body, description: The order}], deprecated: true, to: "direct:new"}
- from: {uri: "direct:order", steps: [{setBody: {constant: "{}"}}]}
- from: {uri: "direct:internal", steps: [{setBody: {constant: "{}"}}]}
- from: {uri: "direct:new", steps: [{setBody: {constant: "{}"}}]}
`);
    const reply = await call(server.baseUrl, "GET", "/shop/api-doc");
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(JSON.parse(reply.text)).toEqual({
      openapi: "3.0.3",
      info: { title: "Shop", version: "2.1", contact: { name: "Desk" } },
      tags: [{ name: "orders", description: "Orders of customers" }],
      paths: {
        "/shop/orders/{number}": {
          get: {
            tags: ["orders"],
            summary: "One order",
            operationId: "order",
            parameters: [
              { name: "number", in: "path", required: true, description: "Its number", schema: { type: "integer" } },
              { name: "view", in: "query", required: false, schema: { type: "string", enum: ["short", "full"], default: "short" } },
            ],
            responses: {
              "200": { description: "The order", content: { "application/json": { schema: {} } } },
              "404": { description: "No such order", content: { "text/plain": { schema: {} } } },
            },
            security: [{ token: [] }, { "sign-in": ["read", "write"] }],
          },
        },
        "/shop/orders": {
          post: {
            tags: ["orders"],
            deprecated: true,
            requestBody: { description: "The order", required: true, content: { "application/json": { schema: {} } } },
            responses: { "200": { description: "The route's reply.", content: { "application/json": { schema: {} } } } },
          },
        },
      },
      components: {
        securitySchemes: {
          token: { type: "apiKey", name: "X-Token", in: "header" },
          "sign-in": { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://id.example/token", scopes: { read: "Read orders" } } } },
        },
      },
    });
    expect((await call(server.baseUrl, "GET", "/shop/api-doc/openapi.json")).text).toBe(reply.text);
    expect((await call(server.baseUrl, "POST", "/shop/api-doc", "x")).status).toBe(405);
  });

  it("sets defaults for absent parameters", async () => {
    await put(`
- rest:
    path: /d
    get:
      - path: /x
        param: [{name: size, type: query, required: false, defaultValue: "10"}, {name: X-Tenant, type: header, defaultValue: main}]
        to: "direct:a"
- from: {uri: "direct:a", steps: [{setBody: {simple: "\${header.size} \${header.X-Tenant}"}}]}
`);
    expect((await call(server.baseUrl, "GET", "/d/x")).text).toBe("10 main");
    expect((await call(server.baseUrl, "GET", "/d/x?size=3", undefined, { "x-tenant": "other" })).text).toBe("3 other");
  });

  it("validates requests only with clientRequestValidation", async () => {
    const flow = (validation: boolean): string => `
- restConfiguration: {clientRequestValidation: ${validation}}
- rest:
    path: /v
    post:
      - path: /x
        consumes: application/json
        produces: application/json
        param:
          - {name: q, type: query, allowableValues: [a, b]}
          - {name: X-Key, type: header}
          - {name: optional, type: query, required: false}
          - {name: body, type: body}
        to: "direct:a"
- from: {uri: "direct:a", steps: [{setBody: {constant: '{"ok":true}'}}]}
`;
    await put(flow(true));
    const post = async (path: string, body: string | undefined, headers: Record<string, string>) => {
      const { status, text } = await call(server.baseUrl, "POST", path, body, headers);
      return [status, text];
    };
    const key = { ...json, "x-key": "k" };
    expect(await post("/v/x?q=a", "{}", key)).toEqual([200, '{"ok":true}']);
    expect(await post("/v/x", "{}", key)).toEqual([400, expect.stringContaining("the parameter 'q' is missing")]);
    expect(await post("/v/x?q=c", "{}", key)).toEqual([400, expect.stringContaining("must be one of a, b")]);
    expect(await post("/v/x?q=a", "{}", json)).toEqual([400, expect.stringContaining("the parameter 'X-Key' is missing")]);
    expect(await post("/v/x?q=a", undefined, key)).toEqual([400, expect.stringContaining("no body")]);
    expect(await post("/v/x?q=a", "{}", { ...key, "content-type": "text/plain" })).toEqual([415, expect.anything()]);
    expect(await post("/v/x?q=a", "{}", { ...key, accept: "text/html" })).toEqual([406, expect.anything()]);
    expect(await post("/v/x?q=a", "{}", { ...key, accept: "text/html, application/*;q=0.5" })).toEqual([200, '{"ok":true}']);
    await put(flow(false));
    expect(await post("/v/x", "{}", { ...json, accept: "text/html" })).toEqual([200, '{"ok":true}']);
  });

  it("responds 400 to invalid JSON where bodies are bound to JSON", async () => {
    await put(`
- rest: {path: /b, bindingMode: json, post: [{path: /json, to: "direct:a"}, {path: /off, bindingMode: "off", to: "direct:b"}]}
- from: {uri: "direct:a", steps: [{setBody: {simple: "\${body[id]}"}}]}
- from: {uri: "direct:b", steps: [{setBody: {constant: taken}}]}
`);
    const good = await call(server.baseUrl, "POST", "/b/json", '{"id":7}', json);
    expect([good.status, good.text, good.headers.get("content-type")]).toEqual([200, "7", "application/json"]);
    const broken = await call(server.baseUrl, "POST", "/b/json", '{"id":', json);
    expect([broken.status, broken.text]).toEqual([400, expect.stringContaining("not valid JSON")]);
    expect((await call(server.baseUrl, "POST", "/b/off", '{"id":', json)).text).toBe("taken");
    const wrong = await server.putFlow(
      "wrong",
      `- rest: {path: /w, bindingMode: jason, get: [{path: /w, to: "direct:w"}]}\n- from: {uri: "direct:w", steps: [{log: x}]}`,
    );
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("unknown binding mode 'jason'")]);
  });

  it("allows cross-origin calls with enableCORS", async () => {
    await put(`
- restConfiguration: {enableCORS: true, corsHeaders: [{key: Access-Control-Max-Age, value: "60"}]}
- rest:
    path: /c
    get: [{path: /x, to: "direct:a"}, {path: /closed, enableCORS: "false", to: "direct:b"}]
- from: {uri: "direct:a", steps: [{setBody: {constant: a}}]}
- from: {uri: "direct:b", steps: [{setBody: {constant: b}}]}
`);
    const preflight = await call(server.baseUrl, "OPTIONS", "/c/x", undefined, { origin: "https://a.example", "access-control-request-method": "GET" });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(preflight.headers.get("access-control-max-age")).toBe("60");
    expect((await call(server.baseUrl, "GET", "/c/x")).headers.get("access-control-allow-origin")).toBe("*");
    expect((await call(server.baseUrl, "GET", "/c/closed")).headers.get("access-control-allow-origin")).toBe(null);
    expect((await call(server.baseUrl, "OPTIONS", "/c/closed")).headers.get("access-control-allow-origin")).toBe(null);
  });
});

describe("a posted form", () => {
  const form = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };

  it("is a map in the body and headers", async () => {
    await put(
      `- route: {id: f, from: {uri: "platform-http:/f", steps: [{setBody: {simple: "\${body[name]}|\${header.name}|\${body[tag]}|\${header.x-user}|\${header.CamelHttpPath}"}}]}}`,
    );
    const sent = "name=Ada+L%C3%B6w&tag=a&tag=b&X-User=forged&CamelHttpPath=forged";
    expect((await call(server.baseUrl, "POST", "/f", sent, { ...form, "x-user": "real" })).text).toBe('Ada Löw|Ada Löw|["a","b"]|real|/f');
  });

  it("is limited to 1,000 fields", async () => {
    await put(`- route: {id: f, from: {uri: "platform-http:/f", steps: [{setBody: {simple: "\${body.size()}"}}]}}`);
    const many = Array.from({ length: 1500 }, (_, index) => `n${index}=1`).join("&");
    expect((await call(server.baseUrl, "POST", "/f", many, form)).text).toBe("1000");
  });
});

describe("the names of Camel's other HTTP servers", () => {
  it.each([
    ["jetty:http://0.0.0.0:9000/in/{id}", "/in/7"],
    ["jetty://http://localhost:9000/in/{id}", "/in/7"],
    ["netty-http:http://0.0.0.0/in/{id}", "/in/7"],
    ["undertow:http://localhost:8080/in/{id}?httpMethodRestrict=GET", "/in/7"],
    ["servlet:in/{id}", "/in/7"],
    ["servlet:/below?matchOnUriPrefix=true", "/below/any/thing?id=7"],
  ])("%s is served by the runtime", async (uri, path) => {
    await put(`- route: {id: s, from: {uri: "${uri}", steps: [{setBody: {simple: "got \${header.id}"}}]}}`);
    expect((await call(server.baseUrl, "GET", path)).text).toBe("got 7");
  });

  it.each([
    ["undertow:https://0.0.0.0:8443/x", "terminate TLS in a proxy"],
    ["netty-http:proxy://0.0.0.0:8080", "calls to other servers are made with http:"],
    ["undertow:ws://0.0.0.0:8443/x", "write the path alone"],
    ["jetty:http://0.0.0.0:8443/x?sslContextParameters=#ssl", "sslContextParameters"],
  ])("%s is rejected", async (uri, reason) => {
    const reply = await server.putFlow("wrong", `- route: {id: wrong, from: {uri: "${uri}", steps: [{log: x}]}}`);
    expect([reply.status, reply.text]).toEqual([expect.toBeOneOf([400, 422]), expect.stringContaining(reason)]);
  });

  it("cannot be used as a target", async () => {
    const reply = await server.putFlow("wrong", `- route: {id: wrong, from: {uri: webhook, steps: [{to: "netty-http:http://host/x"}]}}`);
    expect([reply.status, reply.text]).toEqual([422, expect.stringContaining("netty-http")]);
  });
});
