import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect, createConnection } from "./connection.ts";
import { eventOf, followEvents } from "./event-stream.ts";

describe("the way to a runtime", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sluice-token-"));
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data/deploy-token"), "kept\n");
    vi.stubEnv("SERVICE_DATA_DIR", join(folder, "data"));
    vi.stubEnv("SERVICE_DEPLOY_TOKEN", "");
    vi.stubEnv("SLUICE_RUNTIME", undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is this machine's own unless another is named, by flag before variable", async () => {
    vi.stubEnv("SERVICE_PORT", "1234");
    expect((await connect({})).baseUrl).toBe("http://127.0.0.1:1234");
    vi.stubEnv("SLUICE_RUNTIME", "https://a.example/prefix/");
    expect((await connect({})).baseUrl).toBe("https://a.example/prefix");
    expect((await connect({ runtime: "http://b.example" })).baseUrl).toBe("http://b.example");
    await expect(connect({ runtime: "b.example:80" })).rejects.toThrow("'b.example:80' is no http address");
  });

  it("the token that is kept here goes to this machine's runtime and to nobody else", async () => {
    expect((await connect({})).token).toBe("kept");
    expect((await connect({ runtime: "http://localhost:9" })).token).toBe("kept");
    for (const stranger of ["https://runtime.example", "http://localhost.evil.example", "http://127.0.0.1.evil.example"])
      expect((await connect({ runtime: stranger })).token).toBe("");
    vi.stubEnv("SERVICE_DEPLOY_TOKEN", " given ");
    expect((await connect({ runtime: "https://runtime.example" })).token).toBe("given");
    writeFileSync(join(folder, "other"), "filed\n");
    expect((await connect({ tokenFile: join(folder, "other") })).token).toBe("filed");
    await expect(connect({ tokenFile: join(folder, "gone") })).rejects.toThrow(/token file '.*gone' cannot be read: ENOENT/);
  });
});

describe("an event stream", () => {
  it("is read block by block; comments say nothing", () => {
    expect(eventOf('id: a.1\nevent: log\ndata: {"x":\ndata: 1}')).toEqual({ id: "a.1", event: "log", data: { x: 1 } });
    expect(eventOf(": heartbeat")).toBeUndefined();
    expect(eventOf("retry: 2000")).toBeUndefined();
  });

  it("is taken up again after the last event when the connection breaks", async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers["last-event-id"] as string | undefined);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`id: a.${asked.length}\nevent: log\ndata: {"n":${asked.length}}\n\n`);
      if (asked.length < 2) setTimeout(() => response.destroy(), 20);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const stop = new AbortController();
    const seen: number[] = [];
    const broke: string[] = [];
    const connection = createConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "t");
    for await (const { data } of followEvents(connection, "/logs/stream", { signal: stop.signal, reconnecting: (reason) => void broke.push(reason) })) {
      seen.push(data.n);
      if (seen.length === 2) stop.abort();
    }
    expect([seen, asked, broke.length]).toEqual([[1, 2], [undefined, "a.1"], 1]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
