// Connections over the management API, against a real TCP server: documents, secrets, tests, replacement, flows that wait for them.
import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, eventually, startTestServer, token, type StartedServer } from "./started-server.ts";
import { spawnServer } from "./spawned-server.ts";
import { callOnNewConnection } from "./several-workers.ts";

const main = fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url));
const plugin = fileURLToPath(new URL("echo-plugin", import.meta.url));
const secretsDir = mkdtempSync(join(tmpdir(), "sluice-secrets-"));
const env = { SERVICE_CONNECTORS: plugin, SERVICE_SECRETS_DIR: secretsDir, SERVICE_WATCH: "true", ECHO_PASSWORD: "from-the-environment" };

/** A TCP server that replies with its own name and the received text, or with "denied" if the text equals `denied`. */
class Partner {
  readonly #server: Server;
  readonly sockets = new Set<Socket>();
  denied = "";

  constructor(name: string) {
    this.#server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket)).on("error", () => undefined);
      socket.on("data", (data) => void socket.write(data.toString().trim() === this.denied ? "denied" : `${name}: ${data.toString().trim()}`));
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const flow = (id: string, uri: string): string =>
  `- route: {id: ${id}, from: {uri: "webhook?muteException=false", steps: [{to: {uri: ${JSON.stringify(uri)}}}]}}\n`;

let server: StartedServer;
let partner: Partner;
let port: number;
beforeAll(async () => {
  server = await startTestServer({ env });
});
afterAll(() => server.end());
beforeEach(async () => {
  partner = new Partner("one");
  port = await partner.listen();
});
afterEach(async () => {
  for (const { id } of (await server.api("GET", "/flows")).json.flows) await server.api("DELETE", `/flows/${id}`);
  for (const { id } of (await server.api("GET", "/connections")).json.connections) await server.api("DELETE", `/connections/${id}`);
  await partner.close();
});

const put = (id: string, values: object, query = "", headers = {}) => server.api("PUT", `/connections/${id}${query}`, { type: "echo", values }, headers);
const replyOf = async (id: string): Promise<string> => (await call(server.baseUrl, "POST", `/api/${id}`, "x")).text;
const fileOf = (id: string): string => join(server.dataDir, "connections", `${id}.json`);

describe("a connection document", () => {
  it("is defined, listed, read with its secrets masked, replaced if its ETag matches, and removed", async () => {
    const created = await put("main", { port, password: "sesame-open-1", tls: { key: "nested-secret-1", name: "x" } });
    expect([created.status, created.json]).toEqual([
      201,
      { id: "main", created: true, type: "echo", hash: expect.stringMatching(/^[0-9a-f]{64}$/), lastModified: expect.any(String) },
    ]);
    const etag = created.headers.get("etag") as string;
    const read = await server.api("GET", "/connections/main");
    expect([read.json, read.headers.get("etag")]).toEqual([
      {
        id: "main",
        type: "echo",
        values: { port, password: { value: "***", secret: true }, tls: { key: { value: "***", secret: true }, name: "x" } },
        flows: [],
      },
      etag,
    ]);
    expect((await server.api("GET", "/connections")).json).toMatchObject({ total: 1, connections: [{ id: "main", type: "echo", state: "idle", flows: [] }] });
    expect(statSync(fileOf("main")).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(fileOf("main"), "utf8")).values.password).toEqual({ value: "sesame-open-1", secret: true });

    const { type, values } = read.json;
    expect((await server.api("PUT", "/connections/main", { type, values }, { "if-match": '"0"' })).status).toBe(412);
    const replaced = await server.api("PUT", "/connections/main", { type, title: "Main", values }, { "if-match": etag });
    expect(replaced.status).toBe(200);
    expect(JSON.parse(readFileSync(fileOf("main"), "utf8")).values).toMatchObject({
      password: { value: "sesame-open-1" },
      tls: { key: { value: "nested-secret-1" } },
    });
    expect((await server.api("DELETE", "/connections/main", undefined, { "if-match": etag })).status).toBe(412);
    expect((await server.api("DELETE", "/connections/main")).json).toEqual({ id: "main", deleted: true });
    expect((await server.api("GET", "/connections/main")).status).toBe(404);
  });

  it.each([
    [{ type: "nope", values: {} }, "unknown type 'nope'"],
    [{ type: "echo", values: { prot: 1 } }, "has no property 'prot'"],
    [{ type: "echo", values: {} }, "property 'port'"],
    [{ type: "echo", values: { port: 1 }, extra: 1 }, "unknown property 'extra'"],
    [{ type: "echo", port: 1 }, "unknown property 'port'; the properties are type, title and values; put the fields under 'values'"],
    [{ type: "echo", values: { port: 1, password: { env: "NOT_SET_AT_ALL" } } }, "the variable 'NOT_SET_AT_ALL' of 'password' is not set"],
    [{ type: "echo", values: { port: 1, password: { env: "SERVICE_DEPLOY_TOKEN" } } }, "is not set"],
    [{ type: "echo", values: { port: 1, password: { file: "../../etc/passwd" } } }, "outside of SERVICE_SECRETS_DIR"],
    [{ type: "echo", values: { port: 1, password: { file: "none" } } }, "cannot be read (ENOENT)"],
  ])("that is invalid is rejected: %j", async (document, reason) => {
    const { status, json } = await server.api("PUT", "/connections/wrong", document);
    expect([status, json.error]).toEqual([422, expect.stringContaining(reason)]);
  });

  it("that fails its test is rejected with a hint that exposes no secret, and is saved with force=true", async () => {
    partner.denied = "wrong-password-1";
    const refused = await put("bad", { port, password: "wrong-password-1" });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("access denied for the password '***'; check the user name, the password")]);
    const unsaved = await server.api("POST", "/connections/test", { type: "echo", values: { port, password: "wrong-password-1" } });
    expect(unsaved.json).toMatchObject({ ok: false, error: "access denied for the password '***'" });
    expect((await put("bad", { port, password: "wrong-password-1" }, "?force=true")).status).toBe(201);
    expect((await server.api("POST", "/connections/bad/test", {})).json).toMatchObject({ ok: false, error: "access denied for the password '***'" });
  });
});

describe("testing and browsing", () => {
  it("tests saved and unsaved connections, and returns the server's name and the duration", async () => {
    expect((await server.api("POST", "/connections/test", { type: "echo", values: { port, password: { env: "ECHO_PASSWORD" } } })).json).toEqual({
      ok: true,
      server: expect.stringContaining("Echo 1.0"),
      ms: expect.any(Number),
    });
    await partner.close();
    expect((await server.api("POST", "/connections/test", { type: "echo", values: { port } })).json).toMatchObject({
      ok: false,
      hint: expect.stringContaining("check host and port"),
    });
    await partner.listen();
    // The Kafka client wraps the operating system's error.
    expect((await server.api("POST", "/connections/test", { type: "kafka", values: { brokers: "127.0.0.1:1" } })).json).toMatchObject({
      ok: false,
      hint: expect.stringContaining("check host and port"),
    });
    expect((await server.api("POST", "/connections/none/test", {})).status).toBe(404);
  });

  it("lists objects of the server, at most 200", async () => {
    await put("main", { port });
    const browse = (body: object) => server.api("POST", "/connections/main/browse", body);
    expect((await browse({ what: "tables", prefix: "tables-1", limit: 3 })).json).toEqual({ names: ["tables-1", "tables-10", "tables-11"] });
    expect((await browse({ what: "tables", limit: 201 })).status).toBe(400);
    const unknown = await browse({ what: "topics" });
    expect([unknown.status, unknown.json.error]).toEqual([422, expect.stringContaining("cannot list 'topics'; it can list tables")]);
  });
});

describe("sluice connections", () => {
  const sluice = async (...args: readonly string[]) => {
    const child = promisify(execFile)(process.execPath, [main, "connections", ...args, "--runtime", server.baseUrl], {
      env: { ...process.env, SERVICE_DEPLOY_TOKEN: token },
    });
    return child.then(
      ({ stdout }) => ({ exit: 0, text: stdout }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ exit: code, text: stdout + stderr }),
    );
  };

  it("defines, lists, tests and removes", async () => {
    const file = join(secretsDir, "main.yaml");
    writeFileSync(file, `type: echo\nvalues: {port: ${port}, password: sesame-open-2}\n`);
    expect(await sluice("put", "main", file)).toEqual({ exit: 0, text: "Connection 'main' defined\n" });
    expect(await sluice()).toEqual({ exit: 0, text: "CONNECTION  TYPE  STATE\nmain        echo  idle\n" });
    expect(await sluice("test")).toMatchObject({ exit: 0, text: expect.stringMatching(/^✓ main {2}Echo 1\.0 \(one: \*\*\*\) \(\d+ ms\)\n$/) });
    await partner.close();
    expect(await sluice("test", "main")).toMatchObject({ exit: 1, text: expect.stringContaining("✗ main") });
    await partner.listen();
    expect(await sluice("remove", "main")).toMatchObject({ exit: 2, text: expect.stringContaining("--yes") });
    expect(await sluice("remove", "main", "--yes")).toMatchObject({ exit: 0 });
    expect(await sluice("put", "main")).toMatchObject({ exit: 2, text: expect.stringContaining("missing required argument 'file'") });
  });
});

describe("flows and their connections", () => {
  it("a used connection cannot be removed, and a replacement applies from the next message on", async () => {
    await put("main", { port, password: { env: "ECHO_PASSWORD" } });
    expect((await server.putFlow("f", flow("f", "talk:a?connection=#main"))).status).toBe(201);
    expect(await replyOf("f")).toBe("one: from-the-environment");
    expect((await server.api("GET", "/connections")).json.connections).toMatchObject([{ id: "main", state: "up", users: 1, flows: ["f"] }]);
    expect((await server.api("GET", "/health")).json.connections).toMatchObject([{ id: "main", type: "echo", state: "up", reconnects: 0 }]);
    expect((await server.api("GET", "/metrics")).text).toContain('sluice_connection_up{connection="main",type="echo"} 1');
    expect(await server.api("DELETE", "/connections/main")).toMatchObject({ status: 409, json: { error: expect.stringContaining("is used by flow 'f'") } });

    const other = new Partner("two");
    await put("main", { port: await other.listen(), password: "second-password" });
    expect(await replyOf("f")).toBe("two: second-password");
    await eventually(() => partner.sockets.size === 0);
    expect((await put("main", { port: 1 })).status).toBe(422);
    expect(await replyOf("f")).toBe("two: second-password");
    await server.api("DELETE", "/flows/f");
    await other.close();
  });

  it("a flow whose connection does not exist is rejected; a flow file that failed for this reason starts when the connection is defined", async () => {
    const refused = await server.putFlow("late", flow("late", "talk:a?connection=#later"));
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("'talk' uses the connection 'later', which does not exist")]);
    writeFileSync(join(server.routesDir, "late.yaml"), flow("late", "talk:a?connection=#later"));
    await eventually(async () => (await server.api("GET", "/flows")).json.flows[0]?.status === "Failed");
    await put("later", { port });
    await eventually(async () => (await replyOf("late")) === "one: no-password");
  });

  it("documents and secrets changed by hand are reloaded", async () => {
    mkdirSync(secretsDir, { recursive: true });
    writeFileSync(join(secretsDir, "echo"), "first-in-file\n");
    writeFileSync(join(server.dataDir, "connections", "hand.yaml"), `type: echo\nvalues:\n  port: ${port}\n  password: {file: echo}\n`);
    await eventually(async () => (await server.api("GET", "/connections")).json.total === 1);
    await server.putFlow("f", flow("f", "talk:a"));
    expect(await replyOf("f")).toBe("one: first-in-file");
    writeFileSync(join(secretsDir, "echo"), "second-in-file\n");
    await eventually(async () => (await replyOf("f")) === "one: second-in-file");
    const everything = (await Promise.all(["/connections", "/connections/hand", "/health", "/flows/f"].map((path) => server.api("GET", path))))
      .map(({ text }) => text)
      .join();
    expect(everything + server.logText()).not.toMatch(/first-in-file|second-in-file/);
  });
});

it("every worker uses the connections, and gets their changes", async () => {
  const several = await spawnServer({ env: { ...env, SERVICE_WORKERS: "2" } });
  try {
    const save = (password: string) => several.api("PUT", "/connections/main", { type: "echo", values: { port, password } });
    expect((await save("first-password")).status).toBe(201);
    expect((await several.putFlow("f", flow("f", "talk:a?connection=#main"))).status).toBe(201);
    const replies = async (): Promise<ReadonlySet<string>> =>
      new Set((await Promise.all(Array.from({ length: 20 }, () => callOnNewConnection(several.baseUrl, "/api/f")))).map(({ body }) => body));
    expect(await replies()).toEqual(new Set(["one: first-password"]));
    expect((await save("second-password")).status).toBe(200);
    expect(await replies()).toEqual(new Set(["one: second-password"]));
  } finally {
    await several.end();
    several.clean();
  }
});

describe("a folder in SERVICE_CONNECTIONS", () => {
  it("is read-only, and is reloaded while files are watched", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-connections-"));
    const write = (name: string, password: string): void => writeFileSync(join(folder, name), `type: echo\nvalues: {port: ${port}, password: ${password}}\n`);
    write("beside.yaml", "first-of-the-file");
    const separate = await startTestServer({ env: { ...env, SERVICE_CONNECTIONS: `${folder},${join(folder, "gone")}` } });
    try {
      expect((await separate.api("GET", "/connections/beside")).json.values.password).toEqual({ value: "***", secret: true });
      await separate.putFlow("uses", flow("uses", "talk:x?connection=#beside"));
      const replyText = async (): Promise<string> => (await call(separate.baseUrl, "POST", "/api/uses", "x")).text;
      expect(await replyText()).toBe("one: first-of-the-file");
      for (const reply of [
        await separate.api("PUT", "/connections/beside", { type: "echo", values: { port, password: "another-one" } }),
        await separate.api("DELETE", "/connections/beside").then(async (refused) => {
          expect(refused.status).toBe(409);
          await separate.api("DELETE", "/flows/uses");
          return separate.api("DELETE", "/connections/beside");
        }),
      ])
        expect([reply.status, reply.json.error]).toEqual([409, `connection 'beside' is read from the folder '${folder}': edit its file instead`]);
      await separate.putFlow("uses", flow("uses", "talk:x?connection=#beside"));
      write("beside.yaml", "second-of-the-file");
      await eventually(async () => (await replyText()) === "one: second-of-the-file");
    } finally {
      await separate.end();
    }
  });
});

describe("a SQLite database", () => {
  it("must be inside one of the database folders", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-databases-"));
    const outside = mkdtempSync(join(tmpdir(), "sluice-outside-"));
    symlinkSync(outside, join(folder, "link"));
    const test = async (runtime: StartedServer, file: string) =>
      (await runtime.api("POST", "/connections/test", { type: "sqlite", values: { file } })).json as { readonly ok: boolean; readonly error?: string };
    expect(await test(server, "shop/orders.db")).toMatchObject({ ok: true });
    expect(existsSync(join(server.dataDir, "databases", "shop", "orders.db"))).toBe(true);
    expect(await test(server, join(outside, "x.db"))).toMatchObject({ ok: false, error: expect.stringContaining("is outside the database folders") });
    const separate = await startTestServer({ env: { SERVICE_DATABASES: folder } });
    try {
      expect([
        await test(separate, "a.db"),
        await test(separate, join(folder, "b.db")),
        await test(separate, join(separate.dataDir, "databases", "c.db")),
      ]).toMatchObject([true, true, true].map((ok) => ({ ok })));
      expect(existsSync(join(folder, "a.db"))).toBe(true);
      for (const file of ["../x.db", "link/x.db", join(outside, "x.db")]) expect(await test(separate, file), file).toMatchObject({ ok: false });
      const bean = `- beans: [{name: db, type: "#class:org.apache.commons.dbcp2.BasicDataSource", properties: {url: "jdbc:sqlite:${outside}/x.db"}}]\n`;
      const refused = await separate.putFlow("outside", `${bean}${flow("outside", "sql:select 1?dataSource=#db")}`);
      expect([refused.status, refused.json.error]).toEqual([422, expect.stringContaining("is outside the database folders")]);
      expect(readdirSync(outside)).toEqual([]);
    } finally {
      await separate.end();
    }
  });
});
