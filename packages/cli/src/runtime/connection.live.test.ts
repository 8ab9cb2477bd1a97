import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { follow } from "@sluice/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommandError } from "../command/declaration.ts";
import { connect, createConnection, ifFound, type Connection } from "./connection.ts";

describe("the address of a runtime", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sluice-token-"));
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data/deploy-token"), "local-token\n");
    vi.stubEnv("SERVICE_DATA_DIR", join(folder, "data"));
    vi.stubEnv("SERVICE_DEPLOY_TOKEN", "");
    vi.stubEnv("SLUICE_RUNTIME", undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is local by default; a flag overrides the variable", async () => {
    vi.stubEnv("SERVICE_PORT", "1234");
    expect((await connect({})).baseUrl).toBe("http://127.0.0.1:1234");
    for (const [host, url] of [
      ["0.0.0.0", "http://127.0.0.1:1234"],
      ["::1", "http://[::1]:1234"],
      ["::", "http://[::1]:1234"],
    ] as const) {
      vi.stubEnv("SERVICE_HOST", host);
      expect((await connect({})).baseUrl).toBe(url);
    }
    vi.stubEnv("SLUICE_RUNTIME", "https://a.example/prefix/");
    expect((await connect({})).baseUrl).toBe("https://a.example/prefix");
    expect((await connect({ runtime: "http://b.example" })).baseUrl).toBe("http://b.example");
    await expect(connect({ runtime: "b.example:80" })).rejects.toThrow("'b.example:80' is not an HTTP URL");
  });

  it("the local token is sent only to the runtime of this machine", async () => {
    expect((await connect({})).token).toBe("local-token");
    expect((await connect({ runtime: "http://localhost:9" })).token).toBe("local-token");
    for (const url of ["https://runtime.example", "http://localhost.evil.example", "http://127.0.0.1.evil.example"])
      expect((await connect({ runtime: url })).token).toBe("");
    vi.stubEnv("SERVICE_DEPLOY_TOKEN", " env-token ");
    expect((await connect({ runtime: "https://runtime.example" })).token).toBe("env-token");
    writeFileSync(join(folder, "other"), "file-token\n");
    expect((await connect({ tokenFile: join(folder, "other") })).token).toBe("file-token");
    await expect(connect({ tokenFile: join(folder, "gone") })).rejects.toThrow(/token file '.*gone' not found: check the path/);
  });
});

describe("errors of a runtime", () => {
  const withServer = async (status: number, body: string, work: (connection: Connection) => Promise<void>): Promise<void> => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(body);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    await work(createConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "t"));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };

  it("are reported with the runtime's message; only a 404 is treated as absent", async () => {
    await withServer(409, '{"error":"route id \'a\' is already used"}', async (connection) => {
      await expect(connection.call("GET /flows")).rejects.toBeInstanceOf(CommandError);
      await expect(ifFound(connection.call("GET /flows"))).rejects.toThrow("route id 'a' is already used");
    });
    await withServer(404, '{"error":"flow \'a\' not found"}', async (connection) => {
      expect(await ifFound(connection.call("GET /flows/:id", { params: { id: "a" } }))).toBeUndefined();
    });
    await withServer(500, "<html>", (connection) => expect(connection.call("GET /flows")).rejects.toThrow("the call failed with status 500"));
  });

  it("explains how to fix the token and a missing runtime", async () => {
    await withServer(401, '{"error":"unauthorized"}', (connection) =>
      expect(connection.call("GET /flows")).rejects.toThrow(/rejected the deploy token: check SERVICE/),
    );
    await withServer(503, '{"error":"SERVICE_DEPLOY_TOKEN not configured"}', (connection) =>
      expect(connection.call("GET /flows")).rejects.toThrow(/has no deploy token: start it with/),
    );
    await expect(createConnection("http://127.0.0.1:1", "").call("GET /flows")).rejects.toThrow(/^no runtime at http:\/\/127.0.0.1:1 \(.+\): start one/);
  });
});

describe("an event stream", () => {
  it("resumes after the last event when the connection is lost", async () => {
    const lastEventIds: (string | undefined)[] = [];
    let lose: () => unknown = () => undefined;
    const server = createServer((request, response) => {
      lastEventIds.push(request.headers["last-event-id"] as string | undefined);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`id: a.${lastEventIds.length}\nevent: log\ndata: {"n":${lastEventIds.length}}\n\n`);
      lose = () => response.destroy();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const stop = new AbortController();
    const seen: number[] = [];
    const disconnects: string[] = [];
    const connection = createConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "t");
    const onState = (state: string): unknown => state === "down" && disconnects.push(state);
    for await (const { data } of follow(connection, "GET /logs/stream", { signal: stop.signal, onState })) {
      seen.push((data as unknown as { n: number }).n);
      if (seen.length === 1) lose();
      else stop.abort();
    }
    expect([seen, lastEventIds, disconnects.length]).toEqual([[1, 2], [undefined, "a.1"], 1]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
