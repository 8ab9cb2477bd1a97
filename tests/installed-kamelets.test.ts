// Kamelets over the management API: installed, replaced in the flows that use them, and removed, on a real runtime.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callMany, callOnNewConnection, countReplies } from "./several-workers.ts";
import { spawnServer } from "./spawned-server.ts";
import { call, eventually, startTestServer, token, type StartedServer } from "./started-server.ts";
import { moment, startLoad } from "./webhook-load.ts";

const yaml = { "content-type": "application/yaml" };

/** An action that sets the body to `text`, which may use {{word}}. */
const action = (name: string, text: string, required = "[]"): string => `apiVersion: camel.apache.org/v1
kind: Kamelet
metadata:
  name: ${name}
  labels:
    camel.apache.org/kamelet.type: action
spec:
  definition:
    title: Says something
    description: Replaces the body.
    required: ${required}
    properties:
      word:
        title: Word
        type: string
${required === "[]" ? "        default: hello\n" : ""}  template:
    from:
      uri: kamelet:source
      steps:
        - setBody:
            simple: "${text}"
`;

/** A webhook that runs these Kamelets. */
const using = (id: string, ...steps: readonly string[]): string => `- route:
    id: ${id}
    from:
      uri: webhook
      steps:
${steps.map((step) => `        - to: "kamelet:${step}"\n`).join("")}`;

describe("Kamelets through the API", () => {
  let server: StartedServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sluice-kamelets-"));
    mkdirSync(join(folder, "kamelets"));
    writeFileSync(join(folder, "kamelets", "shared-action.kamelet.yaml"), action("shared-action", "from the folder"));
    writeFileSync(join(folder, "kamelets", "unreadable-action.kamelet.yaml"), "kind: Kamelet\nspec: [\n");
    server = await startTestServer({ env: { SERVICE_KAMELETS: join(folder, "kamelets") } });
  });
  afterAll(async () => {
    await server?.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const put = (name: string, text: string, query = "", headers: Readonly<Record<string, string>> = {}) =>
    server.api("PUT", `/kamelets/${name}${query}`, text, { ...yaml, ...headers });
  const replyText = async (id: string): Promise<string> => (await call(server.baseUrl, "POST", `/api/${id}`, "x")).text;

  it("are installed, listed with their origin and users, read and removed", async () => {
    const text = action("say-action", "said {{word}}");
    const created = await put("say-action", text);
    expect([created.status, created.json]).toEqual([
      201,
      expect.objectContaining({
        name: "say-action",
        title: "Says something",
        type: "action",
        created: true,
        changed: true,
        flows: [],
        refused: [],
        warnings: [],
      }),
    ]);
    expect(readFileSync(join(server.dataDir, "kamelets", "say-action.kamelet.yaml"), "utf8")).toBe(text);
    expect((await server.putFlow("say", using("say", "say-action?word=hi"))).status).toBe(201);
    expect(await replyText("say")).toBe("said hi");

    const { json: list } = await server.api("GET", "/kamelets");
    expect(list.total).toBe(3);
    expect(list.kamelets).toEqual([
      expect.objectContaining({ name: "say-action", type: "action", title: "Says something", origin: "deployed", flows: ["say"] }),
      expect.objectContaining({ name: "shared-action", origin: "folder", place: join(folder, "kamelets"), flows: [] }),
      expect.objectContaining({ name: "unreadable-action", type: null, title: null, error: expect.stringMatching(/^line \d+, column \d+: /) }),
    ]);

    const read = await server.api("GET", "/kamelets/say-action");
    expect([read.json.yaml, read.json.parameters, read.headers.get("etag")]).toEqual([
      text,
      [{ name: "word", title: "Word", type: "string", default: "hello", required: false, secret: false }],
      `"${created.json.hash}"`,
    ]);
    const plain = await server.api("GET", "/kamelets/say-action", undefined, { accept: "application/yaml" });
    expect([plain.text, plain.headers.get("content-type")]).toEqual([text, "application/yaml; charset=utf-8"]);

    const unchanged = await server.api("PUT", "/kamelets/say-action", { yaml: text });
    expect([unchanged.status, unchanged.json.created, unchanged.json.changed, unchanged.json.flows]).toEqual([200, false, false, ["say"]]);

    const used = await server.api("DELETE", "/kamelets/say-action");
    expect([used.status, used.json]).toEqual([409, { error: "Kamelet 'say-action' is used by flow 'say'" }]);
    expect((await server.api("DELETE", "/flows/say")).status).toBe(200);
    expect((await server.api("DELETE", "/kamelets/say-action")).json).toEqual({ name: "say-action", deleted: true });
    expect((await server.api("GET", "/kamelets/say-action")).json).toEqual({ error: "Kamelet 'say-action' not found" });
    expect(existsSync(join(server.dataDir, "kamelets", "say-action.kamelet.yaml"))).toBe(false);
  });

  it("are part of the catalog, which changes with them", async () => {
    const before = await server.api("GET", "/catalog");
    await put("tile-action", action("tile-action", "{{word}}", "[word]"));
    const after = await server.api("GET", "/catalog");
    expect(before.json.kamelets.map(({ name }: { name: string }) => name)).toEqual(["shared-action"]);
    expect(after.json.kamelets).toEqual([
      expect.objectContaining({ name: "shared-action" }),
      {
        ...{ name: "tile-action", title: "Says something", summary: "Replaces the body.", type: "action" },
        parameters: [{ name: "word", kind: "string", type: "string", title: "Word", doc: "", required: true, group: "common", secret: false }],
      },
    ]);
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    await server.api("DELETE", "/kamelets/tile-action");
  });

  it("reload the flows that use them, directly or through another Kamelet, and drop no request", async () => {
    await put("inner-action", action("inner-action", "v0"));
    await put("outer-action", action("outer-action", "x").replace(/- setBody:\n.*\n/, "- kamelet: inner-action\n"));
    expect((await server.putFlow("nested", using("nested", "outer-action"))).status).toBe(201);
    expect((await server.putFlow("beside", using("beside", "shared-action"))).status).toBe(201);
    const load = startLoad(`${server.baseUrl}/api/nested`);
    const replacedAt = [0];
    for (let version = 1; version <= 20; version++) {
      const reply = await put("inner-action", action("inner-action", `v${version}`));
      expect([reply.status, reply.json.flows]).toEqual([200, ["nested"]]);
      replacedAt.push(moment());
      const { length } = load.replies;
      await eventually(() => load.replies.length > length);
    }
    await load.stop();
    expect(load.connectionErrors).toEqual([]);
    expect(load.replies.filter(({ status, body }) => status !== 200 || !/^v\d+$/.test(body))).toEqual([]);
    expect(load.replies.filter(({ sentAt, body }) => Number(body.slice(1)) < replacedAt.findLastIndex((at) => at <= sentAt))).toEqual([]);
    expect(load.replies.length).toBeGreaterThan(20);
    expect(await replyText("nested")).toBe("v20");
    for (const id of ["nested", "beside"]) await server.api("DELETE", `/flows/${id}`);
  });

  it("are rejected with every problem and its position, and nothing is stored", async () => {
    const faulty = await put("faulty-action", action("faulty-action", "${nonsense}").replace("setBody:", "setBdy:"));
    expect([faulty.status, faulty.json.error]).toEqual([422, expect.stringMatching(/^line 21: unknown step 'setBdy'.*did you mean 'setBody'/)]);
    const broken = await put("faulty-action", "kind: Kamelet\nspec: [\n");
    expect([broken.status, broken.json.error]).toEqual([400, expect.stringMatching(/^invalid YAML at line \d+, column \d+: /)]);
    const other = await put("faulty-action", action("other-action", "x"));
    const mismatch = "line 1: the Kamelet is named 'other-action', not 'faulty-action': change metadata.name, or install it as 'other-action'";
    expect([other.status, other.json.error]).toEqual([422, mismatch]);
    const flow = await put("faulty-action", using("faulty", "x"));
    expect([flow.status, flow.json.error]).toEqual([
      422,
      expect.stringContaining("this is not a Kamelet: it needs apiVersion: camel.apache.org/v1 and kind: Kamelet"),
    ]);
    const missing = await put("faulty-action", action("faulty-action", "x").replace(/- setBody:\n.*\n/, "- kamelet: no-such-action\n"));
    expect([missing.status, missing.json.error]).toEqual([422, expect.stringContaining("unknown route template or Kamelet 'no-such-action'")]);
    const large = await put("faulty-action", `${action("faulty-action", "x")}# ${"x".repeat(600 * 1024)}\n`);
    expect([large.status, large.json.error]).toEqual([400, expect.stringMatching(/invalid YAML at line 1, column 1: .*524288/)]);
    expect((await put("faulty-action", Buffer.from([0xff, 0xfe]).toString("latin1"))).status).toBeGreaterThanOrEqual(400);
    expect((await put("..%2Foutside", action("outside", "x"))).json.error).toContain("invalid id");
    expect((await server.api("PUT", "/kamelets/faulty-action", { text: "x" })).status).toBe(400);
    expect(existsSync(join(server.dataDir, "kamelets", "faulty-action.kamelet.yaml"))).toBe(false);

    const validated = await server.api("POST", "/kamelets/validate?name=faulty-action", {
      yaml: action("faulty-action", "${nonsense}").replace("kamelet:source", "no-such:x"),
    });
    expect(validated.json.valid).toBe(false);
    expect(validated.json.problems.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
      [19, "connector-unknown"],
      [22, expect.stringMatching(/^simple-/)],
    ]);
    expect((await server.api("POST", "/kamelets/validate?name=fine-action", action("fine-action", "x"), yaml)).json).toEqual({ valid: true, problems: [] });
  });

  it("need the token", async () => {
    for (const [method, path] of [
      ["GET", "/kamelets"],
      ["GET", "/kamelets/x"],
      ["PUT", "/kamelets/x"],
      ["DELETE", "/kamelets/x"],
    ] as const)
      expect((await call(server.baseUrl, method, `/_api${path}`)).status).toBe(401);
  });

  it("are replaced and removed only if the caller names the current version", async () => {
    const first = (await put("matched-action", action("matched-action", "one"))).json.hash as string;
    expect((await put("matched-action", action("matched-action", "two"), "", { "if-match": `"${first}"` })).status).toBe(200);
    const outdated = await put("matched-action", action("matched-action", "three"), "", { "if-match": `"${first}"` });
    expect([outdated.status, outdated.json.error]).toEqual([412, `Kamelet 'matched-action' changed since hash ${first}`]);
    expect((await server.api("DELETE", "/kamelets/matched-action", undefined, { "if-match": `"${first}"` })).status).toBe(412);
    expect((await server.api("DELETE", "/kamelets/matched-action", undefined, { "if-match": "*" })).status).toBe(200);
    const upper = await put("Case-action", action("Case-action", "x"));
    const lower = await put("case-action", action("case-action", "x"));
    expect([upper.status, lower.status, lower.json.error]).toEqual([201, 409, "Kamelet 'case-action' differs from Kamelet 'Case-action' only in case"]);
  });

  it("are checked with the flows that use them: a version that breaks one is rejected, or with force leaves it on the previous version", async () => {
    await put("strict-action", action("strict-action", "one"));
    await server.putFlow("strict", using("strict", "strict-action"));
    const next = action("strict-action", "two {{word}}", "[word]");
    const refused = await put("strict-action", next);
    expect([refused.status, refused.json.error]).toEqual([
      409,
      expect.stringMatching(/^flow 'strict' cannot use this version of Kamelet 'strict-action': line 6: .*needs a value for parameter 'word'/),
    ]);
    const preview = await put("strict-action", next, "?dryRun=true&force=true");
    expect([preview.status, preview.json]).toEqual([
      200,
      expect.objectContaining({ dryRun: true, changed: true, refused: [{ id: "strict", error: expect.any(String) }] }),
    ]);
    expect((await server.api("GET", "/kamelets/strict-action")).json.yaml).toContain('simple: "one"');

    const forced = await put("strict-action", next, "?force=true");
    expect([forced.status, forced.json.refused]).toEqual([200, [{ id: "strict", error: expect.stringContaining("needs a value for parameter 'word'") }]]);
    expect(await replyText("strict")).toBe("one");
    expect((await server.api("GET", "/flows/strict")).json.error).toContain("needs a value for parameter 'word'");
    // The previous version of the Kamelet removes the error, although the flow was not corrected.
    expect((await put("strict-action", action("strict-action", "one"), "?force=true")).json.refused).toEqual([]);
    expect((await server.api("GET", "/flows/strict")).json.error).toBeNull();

    await put("strict-action", next, "?force=true");
    expect((await server.putFlow("strict", using("strict", "strict-action?word=w"))).json).toMatchObject({ changed: true, warnings: [] });
    expect(await replyText("strict")).toBe("two w");
  });

  it("let a flow be checked with Kamelets that are not installed yet", async () => {
    const flow = using("planned", "planned-action?word=w");
    const kamelets = { "planned-action": action("planned-action", "{{word}}", "[word]") };
    expect((await server.api("PUT", "/flows/planned?dryRun=true", { yaml: flow })).json.error).toContain("unknown route template or Kamelet 'planned-action'");
    const checked = await server.api("PUT", "/flows/planned?dryRun=true", { yaml: flow, kamelets });
    expect([checked.status, checked.json.routes.added]).toEqual([200, ["planned"]]);
    const direct = await server.api("PUT", "/flows/planned", { yaml: flow, kamelets });
    expect([direct.status, direct.json.error]).toEqual([400, expect.stringContaining("kamelets is allowed only with dryRun=true")]);
    expect((await server.api("GET", "/kamelets/planned-action")).status).toBe(404);
  });

  it("take precedence over those of a folder, which cannot be removed", async () => {
    await server.putFlow("shadow", using("shadow", "shared-action"));
    expect(await replyText("shadow")).toBe("from the folder");
    const replaced = await put("shared-action", action("shared-action", "deployed"));
    expect([replaced.status, replaced.json.flows]).toEqual([200, ["shadow"]]);
    expect(await replyText("shadow")).toBe("deployed");
    expect((await server.api("DELETE", "/kamelets/shared-action")).status).toBe(200);
    expect(await replyText("shadow")).toBe("from the folder");
    const removed = await server.api("DELETE", "/kamelets/shared-action");
    expect([removed.status, removed.json.error]).toEqual([
      409,
      `Kamelet 'shared-action' is read from the folder '${join(folder, "kamelets")}': remove it there`,
    ]);
  });

  it("restore the previous version in every flow when one cannot start with the new one", async () => {
    const source = (path: string): string => `apiVersion: camel.apache.org/v1
kind: Kamelet
metadata: {name: entry-source}
spec:
  template:
    from:
      uri: "${path}"
      steps:
        - to: kamelet:sink
`;
    const from = (id: string): string => `- route: {id: ${id}, from: {uri: "kamelet:entry-source", steps: [{setBody: {constant: ${id}}}]}}\n`;
    await put("entry-source", source("platform-http:/entry"));
    expect((await server.putFlow("entry", from("entry"))).status).toBe(201);
    // A folder below a plain file cannot exist, so the source fails when it starts.
    writeFileSync(join(server.dataDir, "plain"), "");
    const failing = await put("entry-source", source(`file:${join(server.dataDir, "plain", "below")}?startingDirectoryMustExist=true`));
    expect([failing.status, failing.json.error]).toEqual([
      422,
      expect.stringMatching(/^flow 'entry' cannot use this version of Kamelet 'entry-source': .*; nothing was changed$/),
    ]);
    expect((await call(server.baseUrl, "POST", "/entry", "x")).text).toBe("entry");
    expect((await server.api("GET", "/kamelets/entry-source")).json.yaml).toContain("platform-http:/entry");
    expect((await server.api("GET", "/flows/entry")).json.error).toBeNull();
  });
});

describe("Kamelets on disk", () => {
  it("survive a restart, and start flows that lacked them", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-kamelets-"));
    const first = await startTestServer({ dataDir });
    await first.api("PUT", "/kamelets/kept-action", action("kept-action", "kept"), yaml);
    await first.putFlow("kept", using("kept", "kept-action"));
    await first.stop();
    const file = join(dataDir, "kamelets", "kept-action.kamelet.yaml");
    const second = await startTestServer({ dataDir });
    expect((await call(second.baseUrl, "POST", "/api/kept", "x")).text).toBe("kept");
    await second.stop();
    rmSync(file);
    const third = await startTestServer({ dataDir });
    try {
      expect((await third.api("GET", "/flows/kept")).json.error).toContain("unknown route template or Kamelet 'kept-action'");
      await third.api("PUT", "/kamelets/kept-action", action("kept-action", "back"), yaml);
      expect((await call(third.baseUrl, "POST", "/api/kept", "x")).text).toBe("back");
    } finally {
      await third.end();
    }
  });

  it("are reloaded when their files change and the runtime watches them", async () => {
    const server = await startTestServer({ env: { SERVICE_WATCH: "true" } });
    try {
      await server.api("PUT", "/kamelets/edited-action", action("edited-action", "one"), yaml);
      await server.putFlow("edited", using("edited", "edited-action"));
      writeFileSync(join(server.dataDir, "kamelets", "edited-action.kamelet.yaml"), action("edited-action", "two"));
      await eventually(async () => (await call(server.baseUrl, "POST", "/api/edited", "x")).text === "two");
      expect((await server.api("GET", "/kamelets/edited-action")).json.yaml).toContain('"two"');
    } finally {
      await server.end();
    }
  });
});

describe("Kamelets in several workers", () => {
  it("take effect in every worker before the call returns, including one that starts later", async () => {
    const server = await spawnServer({ env: { SERVICE_WORKERS: "3" } });
    try {
      expect((await server.api("PUT", "/kamelets/spread-action", action("spread-action", "v0"), yaml)).status).toBe(201);
      expect((await server.putFlow("spread", using("spread", "spread-action"))).status).toBe(201);
      for (const version of ["v1", "v2"]) {
        await server.api("PUT", "/kamelets/spread-action", action("spread-action", version), yaml);
        expect(countReplies(await callMany(60, server.baseUrl, "/api/spread"))).toEqual({ [`200 ${version}`]: 60 });
      }
      const workers = (await server.api("GET", "/health")).json.workers as { pid: number; leads: boolean; runs: number }[];
      expect(workers.filter(({ runs }) => runs > 0).length).toBeGreaterThan(1);
      const follower = workers.find(({ leads }) => !leads) as { pid: number };
      process.kill(follower.pid, "SIGKILL");
      await eventually(async () => {
        // On a new connection: a connection to the ended worker would be reset.
        const { body } = await callOnNewConnection(server.baseUrl, "/_api/health", "", { authorization: `Bearer ${token}` }, "GET");
        const now = JSON.parse(body).workers as { pid: number }[];
        return now.length === 3 && now.every(({ pid }) => pid !== follower.pid);
      });
      expect(countReplies(await callMany(60, server.baseUrl, "/api/spread"))).toEqual({ "200 v2": 60 });
      expect((await callOnNewConnection(server.baseUrl, "/_api/kamelets", "", { authorization: `Bearer ${token}` }, "GET")).body).toContain("spread-action");
    } finally {
      await server.end();
      server.clean();
    }
  });
});
