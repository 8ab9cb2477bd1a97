// A runtime for the designer whose responses the test controls.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type RequestHandler = (request: ReceivedRequest, response: ServerResponse) => boolean;

export interface StubRuntime {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  /** Deployed flows. */
  readonly flows: Map<string, { yaml: string; lastModified: string }>;
  /** Handles the request instead of the default behavior when it returns true. */
  override: RequestHandler | undefined;
  /** The time of the next deployment. */
  deployTime: string;
  close(): Promise<void>;
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export async function startStubRuntime(): Promise<StubRuntime> {
  const requests: ReceivedRequest[] = [];
  const flows: StubRuntime["flows"] = new Map();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const received = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body: Buffer.concat(parts).toString("utf8") };
      requests.push(received);
      if (stub.override?.(received, response) !== true) respond(received, response);
    });
  });
  const send = (response: ServerResponse, status: number, value: unknown): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

  function respond({ method, url, body, headers }: ReceivedRequest, response: ServerResponse): void {
    const path = url.split("?")[0] as string;
    const id = /^\/_api\/flows\/([^/]+)$/.exec(path)?.[1];
    const entry = id === undefined ? undefined : flows.get(id);
    if (path === "/_api/health") return send(response, 200, { status: "UP", uptime: 1, engineVersion: "1.2.3", routes: [] });
    if (path === "/_api/flows/validate") return send(response, 200, { valid: true, problems: [] });
    if (path === "/_api/flows") return send(response, 200, { flows: [...flows].map(([name, flow]) => view(name, flow)), total: flows.size });
    if (path === "/_api/runs") return send(response, 200, { runs: [], total: 0 });
    if (id !== undefined && method === "GET")
      return entry === undefined ? send(response, 404, { error: "not found" }) : send(response, 200, { ...view(id, entry), yaml: entry.yaml });
    if (id !== undefined && method === "PUT") {
      const expected = headers["if-match"]?.replaceAll('"', "");
      if (expected !== undefined && entry !== undefined && expected !== hashOf(entry.yaml)) return send(response, 412, { error: "changed" });
      const flow = { yaml: body, lastModified: stub.deployTime };
      flows.set(id, flow);
      return send(response, entry === undefined ? 201 : 200, { ...view(id, flow), created: entry === undefined, routeCount: 1, routes: [], warnings: [] });
    }
    send(response, 404, { error: "not found" });
  }

  const view = (id: string, { yaml, lastModified }: { yaml: string; lastModified: string }) => ({
    id,
    hash: hashOf(yaml),
    lastModified,
    status: "Started",
    error: null,
    routes: [],
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const stub: StubRuntime = {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    flows,
    override: undefined,
    deployTime: "2026-11-14T16:02:33.120Z",
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return stub;
}
