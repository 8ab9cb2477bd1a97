// Questions to the other live nodes and their answers, as JSON. With SERVICE_CLUSTER_KEY the contents are encrypted, because the store relays them.
import type { Cluster } from "@sluice/engine";
import type { RecordCipher } from "./record-cipher.ts";
import type { Session } from "./session.ts";

export interface Answers<T> {
  /** By name of the node. */
  readonly answers: readonly { readonly node: string; readonly answer: T }[];
  /** Nodes without an answer, by name, with the reason. */
  readonly incomplete: readonly { readonly node: string; readonly reason: string }[];
}

/** A kind of question, with the types of its data. */
export interface Topic<Question, Answer> {
  readonly name: string;
  /** Never set: the types of the data. */
  readonly data?: (question: Question) => Answer;
}

interface AskOptions {
  readonly timeoutMs: number;
  /** Default: every other node that serves. */
  readonly to?: readonly string[] | undefined;
}

/** Limit of one answer. */
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

  /** The other nodes that serve. A node that is still starting has no flows yet. */
  names(): readonly string[] {
    const { boot } = this.#cluster;
    return this.#session
      .live()
      .filter((node) => node.boot !== boot && node.isReady)
      .map(({ node }) => node);
  }

  async ask<Q, A>({ name }: Topic<Q, A>, question: Q, { timeoutMs, to = this.names() }: AskOptions): Promise<Answers<A>> {
    const { responses, failed } = await this.#cluster.messaging.request(name, this.#encode(name, question), { to, timeoutMs, maxBytes });
    const answers: { readonly node: string; readonly answer: A }[] = [];
    const incomplete = [...failed].map(([node, reason]) => ({ node, reason }));
    for (const [node, bytes] of responses)
      try {
        answers.push({ node, answer: this.#decode(name, bytes) as A });
      } catch (error) {
        incomplete.push({ node, reason: (error as Error).message });
      }
    const byName = (a: { readonly node: string }, b: { readonly node: string }): number => (a.node < b.node ? -1 : 1);
    return { answers: answers.sort(byName), incomplete: incomplete.sort(byName) };
  }

  /** Answers the other nodes from now on; returns a function that ends it. */
  answer<Q, A>({ name }: Topic<Q, A>, answer: (question: Q, from: string) => A | Promise<A>): () => void {
    return this.#cluster.messaging.respond(name, async (bytes, from) => this.#encode(name, await answer(this.#decode(name, bytes) as Q, from)));
  }

  #encode(topic: string, value: unknown): Uint8Array {
    return this.#cipher.encrypt(`request/${topic}`, Buffer.from(JSON.stringify(value ?? null)));
  }

  #decode(topic: string, bytes: Uint8Array): unknown {
    return JSON.parse(Buffer.from(this.#cipher.decrypt(`request/${topic}`, bytes)).toString());
  }
}
