// The entry point of the management API. The order of checks is part of the API contract: token, path, method, version, size, body, handler.
import type { Awaitable, Log } from "@sluice/engine";
import type { TokenCheck } from "./deploy-token.ts";
import { requestedVersion, servedVersions, versionHeader } from "../http/api-version.ts";
import type { ApiRequest, ApiResponder, ManagementHandler } from "../http/management.ts";
import type { ClusterView } from "../other-nodes/cluster-view.ts";
import type { OwnedItem } from "../other-nodes/node-queries.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { Call, Endpoint, Json, Reply } from "./endpoint.ts";
import { isKnownVersion, noPrecondition, readPrecondition } from "../precondition.ts";
import { oneSentence, ServiceError } from "../service-error.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { readQuery, readRequestBody } from "./request-input.ts";
import { createRouter } from "./router.ts";

export interface ManagementOptions {
  readonly endpoints: readonly Endpoint[];
  readonly tokenCheck: TokenCheck;
  readonly log: Log;
  readonly secrets: SecretValues;
  newReference(): string;
  /** True while the runtime shuts down. */
  isDraining(): boolean;
  /** Resolves when every worker has the current state. Awaited after every call that changes something, before the reply is sent. */
  replicated?(): Promise<void>;
  /** Undefined without a cluster. */
  readonly cluster?: ClusterView | undefined;
  /** Whether this node has an item; undefined for calls that another node forwarded. */
  ownsItem?(item: OwnedItem): Awaitable<boolean>;
}

export function createManagementApi(options: ManagementOptions): ManagementHandler {
  const route = createRouter(options.endpoints);

  async function answer(request: ApiRequest): Promise<Reply> {
    const { method, segments } = request;
    const match = segments === undefined ? undefined : route(method, segments);
    const decision = options.tokenCheck(request.authorization);
    if (match?.endpoint?.open !== true) {
      if (decision === "unconfigured") throw new ServiceError("token-unconfigured", "SERVICE_DEPLOY_TOKEN not configured");
      if (decision === "unauthorized") throw new ServiceError("unauthorized", "unauthorized");
    }
    if (match === undefined) throw new ServiceError("not-found", "no such endpoint");
    const { endpoint, params, methods } = match;
    if (endpoint === undefined) throw new ServiceError("method-not-allowed", "method not allowed", { Allow: methods.join(", ") });
    rejectUnservedVersion(request);
    if (endpoint.method !== "GET" && endpoint.whileDraining !== true && options.isDraining()) {
      throw new ServiceError("draining", "the runtime is shutting down", { "Retry-After": "5" });
    }
    const query = readQuery(endpoint.query, request.query);
    const { body, raw } = await readRequestBody(endpoint, request);
    const { headers, signal } = request;
    const precondition = endpoint.conditional === undefined ? noPrecondition : readPrecondition(headers, endpoint.conditional);
    const call: Call = { params, query, body, raw, headers, precondition, trusted: decision === "accepted", signal };
    const ownerReply = await callOwner(options, endpoint, request, call);
    if (ownerReply !== undefined) return ownerReply;
    if (options.cluster !== undefined && options.ownsItem !== undefined && endpoint.combine !== undefined)
      return callEveryNode(options.cluster, endpoint, request, call);
    if (options.cluster !== undefined && endpoint.method !== "GET") return changeCluster(options.cluster, endpoint, call);
    if (options.replicated === undefined || endpoint.method === "GET") return endpoint.handle(call);
    try {
      return await endpoint.handle(call);
    } finally {
      await options.replicated();
    }
  }

  return async (request, respond) => {
    try {
      send(respond, omitKnownBody(await answer(request), request), request.method);
    } catch (error) {
      sendError(respond, error, options);
    }
  };
}

/** Replies to a GET without the body if the caller already has this version. */
function omitKnownBody(reply: Reply, { method, headers }: ApiRequest): Reply {
  const etag = reply.status === 200 && (method === "GET" || method === "HEAD") ? reply.headers?.["ETag"] : undefined;
  return etag !== undefined && isKnownVersion(headers, etag) ? { status: 304, text: "", headers: { ETag: etag } } : reply;
}

/** Forwards the call to the node that has its item; undefined when this node has it or no node does. */
async function callOwner({ cluster, ownsItem }: ManagementOptions, endpoint: Endpoint, request: ApiRequest, call: Call): Promise<Reply | undefined> {
  const item = cluster === undefined || ownsItem === undefined ? undefined : endpoint.owned?.(call);
  if (item === undefined || cluster === undefined || (await ownsItem?.(item)) === true) return undefined;
  const { reply, incomplete } = await cluster.queries.callOwner(item, { method: request.method, path: pathOf(request), body: call.body });
  if (reply !== undefined) return { status: reply.status, text: reply.text, headers: reply.headers };
  if (incomplete.length === 0) return undefined;
  const missingNodes = incomplete.map(({ node, reason }) => `node '${node}' ${reason}`).join(", ");
  throw new ServiceError("not-found", `'${item.id.slice(0, 128)}' not found, but some nodes did not respond: ${missingNodes}; try again`);
}

/** Calls this node first: if it fails, its error is the reply. */
async function callEveryNode({ queries }: ClusterView, endpoint: Endpoint, request: ApiRequest, call: Call): Promise<Reply> {
  const own = await endpoint.handle(call);
  if (!("json" in own)) return own;
  const { replies, incomplete } = await queries.callAll({ method: request.method, path: pathOf(request), body: call.body });
  const others = replies.filter(({ status }) => status === own.status).map(({ text }) => JSON.parse(text) as Json);
  const json = endpoint.combine?.(own.json as Json, others) ?? (own.json as Json);
  return { ...own, json: { ...json, incomplete } };
}

function pathOf({ segments = [], query }: ApiRequest): string {
  const text = query.toString();
  return `/_api/${segments.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** The reply lists the nodes that have not applied the change yet. */
async function changeCluster(cluster: ClusterView, endpoint: Endpoint, call: Call): Promise<Reply> {
  const { outcome, report } = await cluster.change(async () => endpoint.handle(call));
  if (report === undefined || !("json" in outcome)) return outcome;
  const json = outcome.json as { readonly warnings?: readonly string[] };
  const warnings = report.behind.map(({ node, reason }) => `node '${node}' is behind: ${reason}`);
  return { ...outcome, json: { ...json, ...(warnings.length === 0 ? {} : { warnings: [...(json.warnings ?? []), ...warnings] }), cluster: report } };
}

function rejectUnservedVersion({ headers }: ApiRequest): void {
  const version = headers[versionHeader];
  if (requestedVersion(version as string | undefined) !== undefined) return;
  const served = servedVersions.map(({ number }) => number).join(", ");
  throw new ServiceError("version-unserved", `API version '${String(version).slice(0, 100)}' is not served: this runtime serves ${served}`);
}

const noStore = { "Cache-Control": "no-store" } as const;

function send(respond: ApiResponder, reply: Reply, method: string): void {
  if ("json" in reply) respond.json(reply.status, reply.json, { ...noStore, ...reply.headers });
  else if ("text" in reply) respond.send(reply.status, reply.text, { ...noStore, ...reply.headers });
  else if (method === "HEAD") respond.send(reply.status, undefined, reply.headers);
  else reply.stream(respond.stream(reply.status, reply.headers));
}

function sendError(respond: ApiResponder, error: unknown, { log, secrets, newReference }: ManagementOptions): void {
  if (error instanceof ServiceError) {
    const { code, problemCode, headers } = error;
    respond.error({ code, problemCode, headers, message: oneSentence(secrets.scrub(maskUris(error.message))) });
  } else {
    const reference = newReference();
    log.write("ERROR", "sluice.api", `Internal error (ref ${reference})`, undefined, { error });
    respond.error({ code: "internal", message: `internal error (ref ${reference})` });
  }
}
