// Requests and responses between nodes, for every store: the adapter only transports frames to a node.
import { randomUUID } from "node:crypto";
import { ClusterError, type Awaitable, type RequestOptions, type Responses } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { decodeParts, encodeParts } from "./message-parts.ts";

/** Limit of a request; larger content would occupy the connection for seconds. */
const maxRequestBytes = 16 * 1024 ** 2;
/** Frames can be lost: a node that works on a request for longer than this receives a check, and has this time to respond. */
const checkMs = 5_000;
/** A response in transit looks like a lost request in one check. */
const maxMisses = 2;
const checkTopic = "is running";

interface RequestHead {
  readonly id: string;
  readonly topic: string;
  readonly from: string;
  readonly maxBytes: number;
}

interface ResponseHead {
  readonly id: string;
  readonly from: string;
  readonly error?: string;
}

interface Pending {
  readonly waiting: Set<string>;
  readonly responses: Map<string, Uint8Array>;
  readonly failed: Map<string, string>;
  finish(): void;
}

export interface RequestTransport {
  readonly node: string;
  /** Sends a frame to a node; the id of a request is passed, so that the adapter can report that the node is not connected. */
  send(to: string, frame: Uint8Array, requestId?: string): void;
}

type Responder = (payload: Uint8Array, from: string) => Awaitable<Uint8Array>;

export class NodeRequests {
  readonly #transport: RequestTransport;
  readonly #responders = new Map<string, Responder>();
  readonly #pending = new Map<string, Pending>();
  /** Requests of other nodes that this node works on. */
  readonly #running = new Set<string>();

  constructor(transport: RequestTransport) {
    this.#transport = transport;
    this.respond(checkTopic, (id) => Uint8Array.of(this.#running.has(Buffer.from(id).toString()) ? 1 : 0));
  }

  respond(topic: string, responder: Responder): () => void {
    this.#responders.set(topic, responder);
    return () => {
      if (this.#responders.get(topic) === responder) this.#responders.delete(topic);
    };
  }

  request(topic: string, payload: Uint8Array, { to, timeoutMs, maxBytes, signal }: RequestOptions): Promise<Responses> {
    const { node } = this.#transport;
    if (payload.length > maxRequestBytes)
      return Promise.reject(new ClusterError("too-large", `the request has ${payload.length} bytes; nodes accept at most ${maxRequestBytes}`));
    const targets = to.filter((name) => name !== node);
    const id = randomUUID();
    return new Promise((resolve) => {
      const responses = new Map<string, Uint8Array>();
      const failed = new Map<string, string>();
      const waiting = new Set(targets);
      const finish = (): void => {
        cancel();
        cancelCheck();
        signal?.removeEventListener("abort", finish);
        this.#pending.delete(id);
        for (const name of waiting) failed.set(name, "did not respond in time");
        resolve({ responses, failed });
      };
      const cancel = systemClock.after(timeoutMs, finish);
      let cancelCheck = (): void => undefined;
      if (waiting.size === 0 || signal?.aborted === true) return finish();
      signal?.addEventListener("abort", finish);
      this.#pending.set(id, { waiting, responses, failed, finish });
      const misses = new Map<string, number>();
      const checkLater = (): void => {
        cancelCheck = systemClock.after(checkMs, () => void this.#check(id, waiting, misses).then(() => this.#pending.has(id) && checkLater()));
      };
      if (timeoutMs > checkMs) checkLater();
      const frame = encodeParts({ id, topic, from: node, maxBytes } satisfies RequestHead, payload);
      for (const name of targets) this.#transport.send(name, frame, id);
    });
  }

  /** Handles a frame that was sent to this node. */
  receive(frame: Uint8Array): void {
    const [head, payload] = decodeParts(frame) as readonly [RequestHead | ResponseHead, Uint8Array];
    if ("topic" in head) void this.#respond(head, payload);
    else this.#settle(head.id, head.from, head.error ?? payload);
  }

  /** Call when the node of a request is not connected to the store. */
  unreachable(requestId: string, node: string): void {
    this.#settle(requestId, node, "is not connected");
  }

  close(): void {
    for (const { finish } of [...this.#pending.values()]) finish();
    this.#responders.clear();
  }

  async #respond({ id, topic, from, maxBytes }: RequestHead, payload: Uint8Array): Promise<void> {
    const { node } = this.#transport;
    const respond = (content: Uint8Array, error?: string): void =>
      this.#transport.send(from, encodeParts({ id, from: node, ...(error === undefined ? {} : { error }) } satisfies ResponseHead, content));
    const empty = new Uint8Array();
    const responder = this.#responders.get(topic);
    if (responder === undefined) return respond(empty, `does not respond to '${topic}'`);
    this.#running.add(id);
    try {
      const content = await responder(payload, from);
      if (content.length <= maxBytes) respond(content);
      else respond(empty, `sent a response of ${content.length} bytes; the limit is ${maxBytes}`);
    } catch (error) {
      respond(empty, (error as Error).message);
    }
    this.#running.delete(id);
  }

  /** Ends the request for nodes that do not work on it. */
  async #check(id: string, waiting: ReadonlySet<string>, misses: Map<string, number>): Promise<void> {
    const targets = [...waiting];
    const { responses } = await this.request(checkTopic, Buffer.from(id), { to: targets, timeoutMs: checkMs, maxBytes: 1 });
    for (const name of targets) {
      const missed = responses.get(name)?.[0] === 1 ? 0 : (misses.get(name) ?? 0) + 1;
      misses.set(name, missed);
      if (missed === maxMisses) this.#settle(id, name, "lost the request or its response");
    }
  }

  #settle(id: string, node: string, outcome: Uint8Array | string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined || !pending.waiting.delete(node)) return;
    if (typeof outcome === "string") pending.failed.set(node, outcome);
    else pending.responses.set(node, outcome);
    if (pending.waiting.size === 0) pending.finish();
  }
}
