// Hand-over: while a flow runs only on another node, its webhooks on this node forward requests to that node. A second mount overrides the mount of the flow,
// so that other requests need no additional step. The access policy is checked by the node that received the request; every node has the same policies.
import type { Awaitable, Cluster, HttpIngress } from "@sluice/engine";
import type { HttpMount, HttpReply, HttpRequest } from "@sluice/engine/spi";
import { systemClock } from "../host/clock.ts";
import { errorBody } from "../http/reply.ts";
import { errorHeaders, statusOf, type ServiceErrorCode } from "../service-error.ts";
import type { MountDescription } from "./forwarded-flows.ts";
import { decodeParts, encodeParts } from "./message-parts.ts";
import type { RecordCipher } from "./record-cipher.ts";

export interface HandOverParts {
  readonly cluster: Cluster;
  readonly cipher: RecordCipher;
  /** The node that runs the requests of a route: this node or another one; undefined while it is unknown. */
  nodeOf(mount: Pick<HttpMount, "flowId" | "routeId">): string | undefined;
  isDeadNode(node: string): boolean;
  sessionOf(id: string): HttpRequest["session"] | "expired";
}

interface RequestHead {
  readonly flowId: string;
  readonly routeId: string;
  readonly mountPath: string;
  readonly methods: readonly string[] | null;
  readonly request: Omit<HttpRequest, "body" | "session">;
  readonly sessionId: string | null;
}

interface ReplyHead {
  /** The flow does not run on the node that the request was forwarded to. */
  readonly isMoved?: true;
  readonly status: number;
  readonly headers: HttpReply["headers"];
  readonly isText: boolean;
}

const topic = "webhook";
/** How long a request waits for a node that runs its flow. */
const waitMs = 15_000;
const pauseMs = 100;
const maxBytes = 16 * 1024 ** 2;
/** Only an upper limit: a forwarded request fails as soon as the other node is dead or no longer processes it. */
const maxForwardMs = 3_600_000;
const livenessMs = 250;

export class HandOver {
  readonly #parts: HandOverParts;
  /** By flow, oldest first. */
  readonly #mounts = new Map<string, Set<HttpMount>>();
  readonly #overrides = new Map<HttpMount, () => void>();
  #ingress: HttpIngress | undefined = undefined;

  constructor(parts: HandOverParts) {
    this.#parts = parts;
  }

  port(ingress: HttpIngress): HttpIngress {
    this.#ingress = ingress;
    return {
      mount: (mount) => {
        const unmount = ingress.mount(mount);
        this.#mounts.set(mount.flowId, (this.#mounts.get(mount.flowId) ?? new Set()).add(mount));
        this.#updateOverride(mount);
        return () => {
          this.#removeOverride(mount);
          this.#mounts.get(mount.flowId)?.delete(mount);
          if (this.#mounts.get(mount.flowId)?.size === 0) this.#mounts.delete(mount.flowId);
          unmount();
        };
      },
    };
  }

  /** The webhooks of a flow that runs here. */
  mountsOf(flowId: string): readonly MountDescription[] {
    return [...(this.#mounts.get(flowId) ?? [])].map(({ handle: _, ...description }) => description);
  }

  /** Mounts a webhook of a flow that does not run here. */
  mountForwarded(description: MountDescription, nodeOf: () => string | undefined): () => void {
    const mount: HttpMount = { ...description, handle: (request) => this.#forward(mount, request, nodeOf) };
    return this.#ingress?.mount(mount) ?? (() => undefined);
  }

  /** Starts to execute requests that other nodes forward; returns a function that stops this. */
  respond(): () => void {
    const { cluster, cipher } = this.#parts;
    return cluster.messaging.respond(topic, async (payload) => {
      const [head, body] = decodeParts(cipher.decryptMessage(topic, payload));
      return cipher.encrypt(topic, await this.#execute(head as RequestHead, body));
    });
  }

  /** Call when the node of a flow may have changed. */
  refresh(): void {
    for (const mounts of this.#mounts.values()) for (const mount of mounts) this.#updateOverride(mount);
  }

  #updateOverride(mount: HttpMount): void {
    if (this.#parts.nodeOf(mount) === this.#parts.cluster.node) return this.#removeOverride(mount);
    if (this.#overrides.has(mount) || this.#ingress === undefined) return;
    this.#overrides.set(mount, this.#ingress.mount({ ...mount, handle: (request) => this.#forward(mount, request, () => this.#parts.nodeOf(mount)) }));
  }

  #removeOverride(mount: HttpMount): void {
    this.#overrides.get(mount)?.();
    this.#overrides.delete(mount);
  }

  async #forward(mount: HttpMount, request: HttpRequest, nodeOf: () => string | undefined): Promise<HttpReply> {
    const { cluster } = this.#parts;
    for (const until = systemClock.monotonic() + waitMs; systemClock.monotonic() < until;) {
      const node = nodeOf();
      if (node === cluster.node) return mount.handle(request);
      const reply = node === undefined ? undefined : await this.#send(node, mount, request);
      if (reply !== undefined) return reply;
      await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve));
    }
    return failure("node-unavailable", `no node currently runs flow '${mount.flowId}'`);
  }

  /** Undefined when the request was certainly not executed, so that it can be sent again. */
  async #send(node: string, mount: HttpMount, inbound: HttpRequest): Promise<HttpReply | undefined> {
    const { cluster, cipher } = this.#parts;
    // Copied by name, because some members are getters, which a spread would omit.
    const { method, path, query, headers, rawHeaders, params, principal, hidden, body, session } = inbound;
    const head: RequestHead = {
      flowId: mount.flowId,
      routeId: mount.routeId,
      mountPath: mount.path,
      methods: mount.methods ?? null,
      request: { method, path, query, headers, rawHeaders, params, principal, hidden },
      sessionId: session?.id ?? null,
    };
    const payload = cipher.encrypt(topic, encodeParts(head, body));
    if (payload.length > maxBytes)
      return failure("body-too-large", `the flow runs on node '${node}', which accepts forwarded requests up to ${maxBytes} bytes`);
    const { responses, failed } = await this.#whileAlive(node, (signal) =>
      cluster.messaging.request(topic, payload, { to: [node], timeoutMs: maxForwardMs, maxBytes, signal }),
    );
    const content = responses.get(node);
    if (content === undefined) {
      const reason = failed.get(node) ?? "did not respond";
      if (reason === "is not connected") return undefined;
      return failure("cluster-uncertain", `node '${node}' ${reason}; the request may have been processed: its outcome is unknown`);
    }
    const [reply, bytes] = decodeParts(cipher.decryptMessage(topic, content)) as readonly [ReplyHead, Uint8Array];
    if (reply.isMoved === true) return undefined;
    return { status: reply.status, headers: reply.headers, body: reply.isText ? Buffer.from(bytes).toString() : bytes };
  }

  /** Aborts the call when the node is dead. */
  async #whileAlive<T>(node: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    let cancel = (): void => undefined;
    const check = (): void => {
      if (this.#parts.isDeadNode(node)) controller.abort();
      else cancel = systemClock.after(livenessMs, check);
    };
    check();
    return run(controller.signal).finally(() => cancel());
  }

  async #execute({ flowId, routeId, mountPath, methods, request, sessionId }: RequestHead, body: Uint8Array): Promise<Uint8Array> {
    const isTarget = (mount: HttpMount): boolean =>
      mount.routeId === routeId && mount.path === mountPath && JSON.stringify(mount.methods ?? null) === JSON.stringify(methods);
    const mount = [...(this.#mounts.get(flowId) ?? [])].findLast(isTarget);
    const session = sessionId === null ? undefined : this.#parts.sessionOf(sessionId);
    if (session === "expired" || (sessionId !== null && session === undefined)) return encodeReply(failure("gone", `test session '${sessionId}' expired`));
    if (mount === undefined || this.#parts.nodeOf(mount) !== this.#parts.cluster.node)
      return encodeParts({ isMoved: true, status: 0, headers: undefined, isText: true } satisfies ReplyHead, new Uint8Array());
    return encodeReply(await mount.handle({ ...request, body, session }));
  }
}

function failure(code: ServiceErrorCode, message: string): HttpReply {
  const status = statusOf({ code });
  return { status, headers: errorHeaders({ code, message, ...(status === 503 ? { headers: { "Retry-After": "1" } } : {}) }), body: errorBody(message) };
}

async function encodeReply({ status, headers, body }: HttpReply): Promise<Uint8Array> {
  const isText = typeof body === "string" || body === undefined;
  return encodeParts({ status, headers, isText } satisfies ReplyHead, await bytesOf(body));
}

function bytesOf(body: HttpReply["body"]): Awaitable<Uint8Array> {
  if (body === undefined) return new Uint8Array();
  if (typeof body === "string") return Buffer.from(body);
  return body instanceof Uint8Array ? body : collect(body);
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`sent a reply larger than ${maxBytes} bytes, the limit for forwarded requests`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
