// Ids of flows, value mappings, message mappings and policies.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sendRaw, statuses } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.end());

interface Kind {
  readonly noun: string;
  readonly path: string;
  readonly body: (id: string) => unknown;
}

const kinds: readonly Kind[] = [
  { noun: "flow", path: "/flows", body: (id) => ({ yaml: replyFlow(`route-${id}`, "x") }) },
  { noun: "value mapping", path: "/value-mappings", body: () => ({ entries: { piece: "ST" } }) },
  {
    noun: "message mapping",
    path: "/message-mappings",
    body: () => ({ source: { format: "json" }, target: { format: "json" }, map: [{ to: "a", from: "b" }] }),
  },
  {
    noun: "policy",
    path: "/auth",
    body: () => ({ authenticate: [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "k", key: "0123456789abcdef" }] }], default: "deny" }),
  },
];

/** The names of all files below the data directory, except the log. */
const tree = (): readonly string[] => (readdirSync(server.dataDir, { recursive: true }) as string[]).filter((name) => name !== "log.txt").sort();

/** Sends the path exactly as spelled. */
async function rawStatus(method: string, path: string, body?: unknown): Promise<number | undefined> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const head = `${method} /_api${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return statuses((await sendRaw(server.port, head + text)).text)[0];
}

for (const { noun, path, body } of kinds) {
  describe(`the id of a ${noun}`, () => {
    const wrong: readonly (readonly [string, readonly string[]])[] = [
      ["a path", ["..%2f..%2fetc%2fx", "%2e%2e%2fx", "a%2fb", "..%5c..%5cx", "%252e%252e%252fx"]],
      ["dots", [".", "..", "...", "%2e%2e", "%2e"]],
      ["control or non-ASCII characters", ["a%00", "a%0ab", "a%0d%0aX:1", "%7f", "%c2%a0", "%ff"]],
      ["a name that is invalid on Windows", ["CON", "nul", "aux.x", "COM1", "lpt9.yaml", "a.", "a%20", "a:b", "prn"]],
      ["a wrong first character or two consecutive dots", [".hidden", ".env", "-rf", "~x", "_x", "a..b", "%c3%a4"]],
    ];
    for (const [kind, ids] of wrong) {
      it(`${kind}: ${ids.join(" ")} is rejected, and creates or deletes no file`, async () => {
        const before = tree();
        for (const id of ids) {
          for (const method of ["PUT", "DELETE"]) {
            const status = await rawStatus(method, `${path}/${id}`, method === "PUT" ? body("x") : undefined);
            expect([method, id, status]).toEqual([method, id, expect.toSatisfy((code) => code === 400 || code === 404)]);
          }
        }
        expect(tree()).toEqual(before);
      });
    }

    it("an id has up to 128 characters, and no length causes a 500", async () => {
      const longest = "x".repeat(128);
      expect((await server.api("PUT", `${path}/${longest}`, body("long"))).status).toBe(201);
      expect((await server.api("DELETE", `${path}/${longest}`)).status).toBe(200);
      expect(await rawStatus("PUT", `${path}/${"x".repeat(129)}`, body("x"))).toBe(400);
      expect([400, 414, 431]).toContain(await rawStatus("PUT", `${path}/${"x".repeat(10_240)}`, body("x")));
    });

    it("PUT without an id is rejected", async () => {
      expect([404, 405]).toContain((await server.api("PUT", path, body("x"))).status);
      expect([400, 404, 405]).toContain((await server.api("PUT", `${path}/`, body("x"))).status);
    });
  });
}

it("resources of different kinds with the same id are independent; deleting one does not delete the others", async () => {
  const fresh = await startTestServer();
  try {
    for (const deleted of kinds) {
      for (const { path, body } of kinds) expect([path, (await fresh.api("PUT", `${path}/a`, body("a"))).status < 300]).toEqual([path, true]);
      expect((await fresh.api("DELETE", `${deleted.path}/a`)).status).toBe(200);
      for (const { path } of kinds) expect([path, (await fresh.api("GET", `${path}/a`)).status]).toEqual([path, path === deleted.path ? 404 : 200]);
    }
    expect(readdirSync(join(fresh.dataDir, "routes"))).toEqual(["a.yaml"]);
  } finally {
    await fresh.end();
  }
});
