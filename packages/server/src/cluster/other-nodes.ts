// Requests to the other live nodes and their responses, as JSON. With SERVICE_CLUSTER_KEY the contents are encrypted, because the store relays them.
import type { Cluster } from "@sluice/engine";
import type { RecordCipher } from "./record-cipher.ts";
import type { Session } from "./session.ts";

export interface NodeResponses<T> {
  /** Sorted by node name. */
  readonly responses: readonly { readonly node: string; readonly response: T }[];
  /** Nodes that did not respond, by name, with the reason. */
  readonly incomplete: readonly { readonly node: string; readonly reason: string }[];
}

/** A kind of request, with the types of its data. */
export interface Topic<Request, Response> {
  readonly name: string;
  /** Never set; it only carries the types. */
  readonly data?: (request: Request) => Response;
}

interface RequestOptions {
  readonly timeoutMs: number;
  /** Default: every other node that is ready. */
  readonly to?: readonly string[] | undefined;
}

/** Size limit of one response. */
const maxBytes = 16 * 1024 ** 2;

export class OtherNodes {
  readonly #cluster: Cluster;
  readonly #session: Session;
  readonly #cipher: RecordCipher;

  constructor(cluster: Cluster, session: Session, cipher: RecordCipher) {
    this.#cluster = cluster;
    this.#session = session;
    this.#cipher = cipher;
  }

  /** The other nodes that are ready. A node that is still starting has no flows yet. */
  names(): readonly string[] {
    const { boot } = this.#cluster;
    return this.#session
      .live()
      .filter((node) => node.boot !== boot && node.isReady)
      .map(({ node }) => node);
  }

  async request<Q, R>({ name }: Topic<Q, R>, request: Q, { timeoutMs, to = this.names() }: RequestOptions): Promise<NodeResponses<R>> {
    const { responses: received, failed } = await this.#cluster.messaging.request(name, this.#encode(name, request), { to, timeoutMs, maxBytes });
    const responses: { readonly node: string; readonly response: R }[] = [];
    const incomplete = [...failed].map(([node, reason]) => ({ node, reason }));
    for (const [node, bytes] of received)
      try {
        responses.push({ node, response: this.#decode(name, bytes) as R });
      } catch (error) {
        incomplete.push({ node, reason: (error as Error).message });
      }
    const byName = (a: { readonly node: string }, b: { readonly node: string }): number => (a.node < b.node ? -1 : 1);
    return { responses: responses.sort(byName), incomplete: incomplete.sort(byName) };
  }

  /** Starts to respond to requests of the other nodes; returns a function that stops this. */
  respond<Q, R>({ name }: Topic<Q, R>, handle: (request: Q, from: string) => R | Promise<R>): () => void {
    return this.#cluster.messaging.respond(name, async (bytes, from) => this.#encode(name, await handle(this.#decode(name, bytes) as Q, from)));
  }

  #encode(topic: string, value: unknown): Uint8Array {
    return this.#cipher.encrypt(`request/${topic}`, Buffer.from(JSON.stringify(value ?? null)));
  }

  #decode(topic: string, bytes: Uint8Array): unknown {
    return JSON.parse(Buffer.from(this.#cipher.decryptMessage(`request/${topic}`, bytes)).toString());
  }
}
