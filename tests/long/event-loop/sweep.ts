// Sends every hostile body through every case and measures how long the event loop is blocked.
import { connect } from "node:net";
import { spawnServer, type SpawnedServer } from "../../spawned-server.ts";
import { replyFlow, token } from "../../started-server.ts";
import { watchLoop, type LoopWatch } from "./loop-watch.ts";

export interface Measurement {
  readonly name: string;
  readonly blockedMs: number;
  /** The status and the start of the body, or why there is no reply. */
  readonly reply: string;
}

export interface SweepServer {
  readonly server: SpawnedServer;
  /** Executes one request and measures it. */
  measure(name: string, send: () => Promise<string>): Promise<Measurement>;
  /** Sends a body to a webhook and returns the status with the start of the response body; the rest is discarded. */
  post(path: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** Calls the management API in the same way. */
  api(method: string, path: string, body?: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<string>;
  end(): Promise<void>;
}

/** The route of one case. */
export const routeOf = (id: string, steps: readonly string[]): string => `- route:
    id: ${id}
    from:
      uri: webhook
      parameters: {muteException: false, requestTimeout: 180000}
      steps:
${steps.map((step) => `        - ${step}`).join("\n")}
`;

export async function startSweepServer(env: Readonly<Record<string, string>> = {}): Promise<SweepServer> {
  const server = await spawnServer({ env: { SERVICE_LOG_LEVEL: "ERROR", ...env } });
  const put = await server.putFlow("canary", replyFlow("canary", "ok"));
  if (put.status !== 201) throw new Error(`the canary flow was rejected: ${put.text}`);
  const watch: LoopWatch = await watchLoop(server);
  const request = (method: string, path: string, body: string | Uint8Array | undefined, headers: Readonly<Record<string, string>>): Promise<string> =>
    sendRequest(new URL(server.baseUrl), { method, path, body, headers });
  return {
    server,
    async measure(name, send) {
      await watch.measure();
      const reply = await send().catch((error: unknown) => `no reply: ${(error as Error).message}`);
      return { name, reply, blockedMs: Math.round(await watch.measure()) };
    },
    post: (path, body, headers = {}) => request("POST", path, body, { "content-type": "text/plain", ...headers }),
    api: (method, path, body, headers = {}) =>
      request(method, `/_api${path}`, body, { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers }),
    async end() {
      await watch.end();
      await server.end("SIGKILL");
      server.clean();
    },
  };
}

const timeoutMs = 180_000;

interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly body: string | Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request over its own socket: cheap for this process, so that it does not compete with the runtime for the CPU. */
function sendRequest(url: URL, { method, path, body, headers }: Outgoing): Promise<string> {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : typeof body === "string" ? Buffer.from(body) : body;
    const socket = connect(Number(url.port), url.hostname);
    let head = "";
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no reply within ${timeoutMs} ms`)));
    socket.on("data", (chunk) => {
      if (head.length < 2_000) head += chunk.toString("latin1", 0, 2_000);
    });
    socket.on("error", reject);
    socket.on("close", () => (head === "" ? reject(new Error("the connection was closed")) : resolve(summaryOf(head))));
    const fields = Object.entries({
      host: url.host,
      connection: "close",
      ...headers,
      ...(bytes === undefined ? {} : { "content-length": String(bytes.length) }),
    });
    socket.write(`${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    if (bytes !== undefined) socket.write(bytes);
  });
}

function summaryOf(reply: string): string {
  const [head = "", body = ""] = reply.split("\r\n\r\n", 2);
  return `${head.slice(9, 12)} ${body.slice(0, 200)}`;
}

/** The results as text, worst first. */
export function report(measured: readonly Measurement[], limit = 60): string {
  return measured
    .toSorted((a, b) => b.blockedMs - a.blockedMs)
    .slice(0, limit)
    .map(({ name, blockedMs, reply }) => `${String(blockedMs).padStart(6)} ms  ${name}  -> ${reply.slice(0, 90).replaceAll(/\s+/g, " ")}`)
    .join("\n");
}
