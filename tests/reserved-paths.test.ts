// Which paths a flow may claim, and which flow owns a path: through real PUTs, in every order of installation and after a restart.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

const serving = (routeId: string, uri: string, replyText = routeId): string =>
  `- route:\n    id: "${routeId}"\n    from:\n      uri: "${uri}"\n      steps:\n        - setBody: {constant: "${replyText}"}\n`;

async function expectReserved(yaml: string, params?: Record<string, unknown>, suffix = ""): Promise<void> {
  const listed = (await server.api("GET", "/flows")).text;
  const reply = await server.putFlow("thief", yaml, params);
  expect([yaml, reply.status, reply.json?.error]).toEqual([
    yaml,
    422,
    expect.stringMatching(new RegExp(`^route '.*' claims reserved path '.*': paths under /_api belong to the management API${suffix}$`)),
  ]);
  expect((await server.api("GET", "/flows")).text).toBe(listed);
  expect(readdirSync(server.routesDir)).not.toContain("thief.yaml");
}

describe("paths under /_api", () => {
  const spellings: readonly (readonly [string, readonly string[]])[] = [
    ["as is", ["/_api", "/_api/", "/_api/x", "_api/x", "/_api/flows/{id}", "//_api/x"]],
    ["in another case", ["/_API/x", "/_Api", "/_aPi/x/y", "/＿api/x"]],
    ["percent-encoded", ["/%5Fapi/x", "/_%61pi/x", "/%5f%61%70%69", "/%255Fapi/x", "/%25255Fapi/x"]],
    ["with dot segments or separators", ["/api/../_api/x", "/./_api/x", "/x/%2e%2e/_api", "/a/b/../../_api", "/x/..%2f_api", "/_api;v=1/x", "/\\\\_api"]],
  ];
  for (const [spelling, paths] of spellings) {
    for (const path of paths) {
      it(`${spelling}: platform-http:${path} is rejected, not stored and not listed`, () => expectReserved(serving("thief", `platform-http:${path}`)));
    }
  }

  for (const path of ["/{p}/flows", "/*", "/{p}", "/{p}/{q}"]) {
    it(`platform-http:${path} could match such a path and is rejected with a hint to name a first segment`, () =>
      expectReserved(serving("thief", `platform-http:${path}`), undefined, "; name a first segment"));
  }

  it("a pattern within a segment that matches /_api is rejected, and so is a wildcard within one", async () => {
    for (const path of ["/_{x}", "/{a}api/x", "/_{x}i/flows"]) await expectReserved(serving("thief", `platform-http:${path}`));
    const reply = await server.putFlow("thief", serving("thief", "platform-http:/_a*"));
    expect([reply.status, reply.json.error]).toEqual([422, expect.stringContaining("invalid segment '_a*' in path")]);
  });

  it("a prefix that covers /_api is rejected", async () => {
    for (const path of ["/", "/{p}"])
      await expectReserved(serving("thief", `platform-http:${path}?matchOnUriPrefix=true`), undefined, "; name a first segment");
  });

  it("a path in parameters or composed of placeholders is checked like a literal one", async () => {
    await expectReserved(`- route:\n    id: thief\n    from:\n      uri: platform-http\n      parameters: {path: /_api/x}\n      steps:\n        - log: x\n`);
    await expectReserved(serving("thief", "platform-http:/{{first}}/x"), { first: "_api" });
    await expectReserved(serving("thief", "platform-http:{{all}}"), { all: "/api/../_API" });
    await expectReserved(serving("thief", "platform-http:/_{{nothing:api}}/x"));
  });

  it("a route id cannot escape /api", async () => {
    for (const routeId of ["../_api/flows", "..", ".", "../x", "../_api", "%2e%2e/_api", "x/../../_api"]) {
      const reply = await server.putFlow("thief", serving(routeId, "webhook"));
      expect([routeId, reply.status]).toEqual([routeId, 422]);
      expect(readdirSync(server.routesDir)).not.toContain("thief.yaml");
    }
  });

  it("similar paths are served", async () => {
    for (const path of ["/_apix", "/my_api", "/api/_api", "/api/x/_api", "/_ap", "/x/_api/flows", "/_apis/{id}", "/_api.json", "/-api", "/__api"]) {
      const put = await server.putFlow("similar", serving("similar", `platform-http:${path}`, "mine"));
      expect([path, put.status < 300, put.json.error]).toEqual([path, true, undefined]);
      const reply = await call(server.baseUrl, "GET", path.replace("{id}", "7"));
      expect([path, reply.status, reply.text]).toEqual([path, 200, "mine"]);
    }
    expect((await server.api("GET", "/flows")).status).toBe(200);
  });
});

describe("ownership of paths", () => {
  interface Pair {
    readonly what: string;
    readonly one: string;
    readonly other: string;
    readonly clash: boolean;
    /** Paths and the flow that must reply to them, when both can be installed. */
    readonly calls?: readonly (readonly [string, string])[];
  }
  const pairs: readonly Pair[] = [
    { what: "two names of one parameter", one: serving("one", "platform-http:/api/a/{x}"), other: serving("other", "platform-http:/api/a/{y}"), clash: true },
    { what: "a trailing slash", one: serving("one", "platform-http:/api/a"), other: serving("other", "platform-http:/api/a/"), clash: true },
    { what: "letter case", one: serving("one", "platform-http:/api/A"), other: serving("other", "platform-http:/api/a"), clash: true },
    { what: "an escaped letter", one: serving("one", "platform-http:/api/b"), other: serving("other", "platform-http:/api/%62"), clash: true },
    { what: "the default path of a route", one: serving("one", "webhook"), other: serving("other", "platform-http:/api/one"), clash: true },
    {
      what: "a literal beside a parameter",
      one: serving("one", "platform-http:/p/{x}"),
      other: serving("other", "platform-http:/p/fixed"),
      clash: false,
      calls: [
        ["/p/fixed", "other"],
        ["/p/else", "one"],
      ],
    },
    {
      what: "a path below a prefix",
      one: serving("one", "platform-http:/q?matchOnUriPrefix=true"),
      other: serving("other", "platform-http:/q/deep"),
      clash: false,
      calls: [
        ["/q/deep", "other"],
        ["/q/else", "one"],
      ],
    },
    {
      what: "two methods of one path",
      one: serving("one", "platform-http:/m?httpMethodRestrict=POST"),
      other: serving("other", "platform-http:/m?httpMethodRestrict=PUT"),
      clash: false,
      calls: [["/m", "one"]],
    },
  ];

  for (const { what, one, other, clash, calls = [] } of pairs) {
    it(`same result in both orders of installation and after a restart: ${what}`, async () => {
      const outcomes: unknown[] = [];
      for (const order of [
        [one, other],
        [other, one],
      ]) {
        const fresh = await startTestServer();
        const statuses: number[] = [];
        for (const [index, yaml] of order.entries()) statuses.push((await fresh.putFlow(`flow-${index}`, yaml)).status);
        outcomes.push(statuses);
        for (const [path, replyText] of calls) expect([path, (await call(fresh.baseUrl, "POST", path, "")).text]).toEqual([path, replyText]);
        await fresh.stop();
        const restarted = await startTestServer({ dataDir: fresh.dataDir });
        for (const [path, replyText] of calls) expect([path, (await call(restarted.baseUrl, "POST", path, "")).text]).toEqual([path, replyText]);
        expect((await restarted.api("GET", "/flows")).json.flows.map(({ status }: { status: string }) => status)).toEqual(
          clash ? ["Started"] : ["Started", "Started"],
        );
        await restarted.end();
      }
      expect(outcomes).toEqual(
        clash
          ? [
              [201, 409],
              [201, 409],
            ]
          : [
              [201, 201],
              [201, 201],
            ],
      );
    });
  }

  it("a flow may have the same id as another's route", async () => {
    expect((await server.putFlow("shared-name", serving("route-of-shared", "direct:shared"))).status).toBe(201);
    expect((await server.putFlow("other-flow", serving("shared-name", "webhook"))).status).toBe(201);
    expect((await call(server.baseUrl, "POST", "/api/shared-name", "")).text).toBe("shared-name");
    await server.api("DELETE", "/flows/shared-name");
    expect((await call(server.baseUrl, "POST", "/api/shared-name", "")).text).toBe("shared-name");
  });

  it("the flow that holds a path keeps serving while the other is rejected with the owner's name", async () => {
    await server.putFlow("holder", serving("holder", "platform-http:/held"));
    const reply = await server.putFlow("taker", serving("taker", "platform-http:/held"));
    expect([reply.status, reply.json.error]).toEqual([409, expect.stringMatching(/ \/held is already served by route 'holder' of flow 'holder'$/)]);
    expect((await call(server.baseUrl, "POST", "/held", "")).text).toBe("holder");
  });

  it("a duplicate route id in one text is rejected", async () => {
    const reply = await server.putFlow("doubled", serving("doubled", "direct:a") + serving("doubled", "direct:b"));
    expect([reply.status, reply.json.error]).toEqual([422, "line 8: the route id 'doubled' is used twice in this flow (change one of the ids)"]);
  });

  it("claims at startup follow the same rules as a PUT", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    mkdirSync(join(dataDir, "routes"));
    const files = {
      "a-thief": serving("a-thief", "platform-http:/%5fapi/x"),
      "b-honest": serving("b-honest", "webhook"),
      "c-wild": serving("c-wild", "platform-http:/{p}/flows"),
    };
    for (const [id, yaml] of Object.entries(files)) writeFileSync(join(dataDir, "routes", `${id}.yaml`), yaml);
    const fresh = await startTestServer({ dataDir });
    const { flows } = (await fresh.api("GET", "/flows")).json as { flows: { id: string; status: string; error: string | null }[] };
    expect(flows.map(({ id, status }) => [id, status])).toEqual([
      ["a-thief", "Failed"],
      ["b-honest", "Started"],
      ["c-wild", "Failed"],
    ]);
    expect(flows[0]?.error).toMatch(/claims reserved path/);
    expect((await call(fresh.baseUrl, "POST", "/api/b-honest", "")).text).toBe("b-honest");
    await fresh.end();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
