// The designer server: serves the page and the workspace, and proxies the runtimes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { AppFiles, defaultAppFolder } from "./http/app-files.ts";
import { HttpError } from "./http/http-error.ts";
import { readJson, sendError, sendJson, textOf } from "./http/json-body.ts";
import { requestSource } from "./http/request-source.ts";
import { assertSameOrigin } from "./http/same-origin.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { SignIn } from "./http/sign-in.ts";
import { serveWorkspaceApi, type ApiParts } from "./http/workspace-api.ts";
import { proxy } from "./targets/proxy.ts";
import { Targets, type Target } from "./targets/targets.ts";
import type { WriteFile } from "./workspace/durable-file.ts";
import { Workspace } from "./workspace/workspace.ts";

export interface DesignerOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** Any address but loopback requires a password. */
  readonly host?: string;
  readonly workspace: string;
  readonly targets: readonly Target[];
  readonly password?: string;
  /** Trusted proxies (addresses or networks) whose `X-Forwarded-For` identifies clients for the sign-in rate limit. */
  readonly trustedProxies?: readonly string[];
  /** Environment with the tokens of the targets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly appFolder?: string;
  readonly writeFile?: WriteFile;
  /** Called with unexpected errors. */
  readonly onError?: (error: unknown) => void;
}

export interface RunningDesigner {
  readonly url: string;
  readonly workspace: string;
  /** Closes all connections, and resolves when the requests that were being handled no longer write to the workspace. */
  close(): Promise<void>;
}

/** A deployment may be waiting for a runtime that does not respond. */
const closeTimeoutMs = 10_000;

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

export async function startDesigner(options: DesignerOptions): Promise<RunningDesigner> {
  const signIn = new SignIn(options.password, requestSource(options.trustedProxies ?? []));
  const host = options.host ?? "127.0.0.1";
  const isLocalOnly = !signIn.isRequired;
  if (isLocalOnly && !loopback.has(host)) throw new Error(`the designer requires a password to listen on ${host}: set DESIGNER_PASSWORD`);
  const workspace = new Workspace(options.workspace, options.writeFile);
  await workspace.prepare();
  const targets = await Targets.load(options.targets, options.environment, workspace);
  const parts: ApiParts = { workspace, targets, signIn };
  const app = new AppFiles(options.appFolder ?? defaultAppFolder());
  const running = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const handled = handle(parts, app, isLocalOnly, request, response)
      .catch((error: unknown) => {
        if (!(error instanceof HttpError)) options.onError?.(error);
        sendError(response, error);
      })
      .finally(() => running.delete(handled));
    running.add(handled);
  });
  server.headersTimeout = 20_000;
  server.on("clientError", (_error, socket) => socket.destroy());
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.once("close", () => sockets.delete(socket))));
  await listen(server, host, options.port);
  const { port } = server.address() as { port: number };
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    workspace: workspace.folder,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      await withTimeout(Promise.all(running), closeTimeoutMs);
    },
  };
}

async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}

async function handle(parts: ApiParts, app: AppFiles, isLocalOnly: boolean, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders())) response.setHeader(name, value);
  const pathname = pathOf(request);
  const isApi = /^\/(_api|_designer)(\/|$)/.test(pathname);
  if (!isApi) {
    if (isLocalOnly) rejectForeignHost(request);
    if (request.method !== "GET" && request.method !== "HEAD") throw new HttpError(405, "method not allowed");
    return app.serve(request, response, pathname);
  }
  assertSameOrigin(request, isLocalOnly);
  if (pathname === "/_designer/session") return serveSession(parts.signIn, request, response);
  if (!parts.signIn.isSignedIn(request)) throw new HttpError(401, "sign in first");
  if (pathname.startsWith("/_api/")) return proxy(parts.targets, request, response);
  return serveWorkspaceApi(parts, request, response, pathname);
}

/** Rejects foreign host names, because their owner could read the page (DNS rebinding). */
function rejectForeignHost(request: IncomingMessage): void {
  assertSameOrigin({ headers: { host: request.headers.host }, method: "GET" } as IncomingMessage, true);
}

async function serveSession(signIn: SignIn, request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (request.method) {
    case "GET":
      return sendJson(response, 200, { signedIn: signIn.isSignedIn(request), passwordRequired: signIn.isRequired });
    case "POST":
      return sendJson(
        response,
        200,
        { signedIn: true, passwordRequired: true },
        { "set-cookie": signIn.open(request, textOf(await readJson(request), "password")) },
      );
    case "DELETE":
      return sendJson(response, 200, { signedIn: false }, { "set-cookie": signIn.close(request) });
    default:
      throw new HttpError(405, "method not allowed");
  }
}

function pathOf(request: IncomingMessage): string {
  const path = (request.url ?? "/").split("?")[0] as string;
  return path.startsWith("/") ? path : "/";
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
