// Queries the other nodes for their flows that use a document. A node that could not start the newest version of a flow runs another one, so the
// answers can differ.
import type { Cluster } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import type { FlowElsewhere } from "../mappings/installed-document.ts";
import type { Session } from "./session.ts";

export type UsedKind = "connection" | "kamelet";

interface Query {
  readonly boot: string;
  readonly number: number;
  readonly kind: UsedKind;
  readonly id: string;
}

interface Answer extends Pick<Query, "number"> {
  /** The boot id of the querying node. */
  readonly to: string;
  readonly boot: string;
  readonly node: string;
  readonly flows: readonly string[];
}

const queryTopic = "users-of";
const answerTopic = "users";
/** A node that does not answer within this time is ignored; it continues to use its copy of the document. */
const maxWaitMs = 2_000;

/** Flows in one answer: PostgreSQL limits the size of a message. */
const maxFlows = 20;

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const decode = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());

export class WhereUsed {
  readonly #cluster: Cluster;
  readonly #session: Session;
  readonly #answers = new Map<number, Map<string, Answer>>();
  #stops: (() => void)[] = [];
  #number = 0;

  constructor(cluster: Cluster, session: Session) {
    this.#cluster = cluster;
    this.#session = session;
  }

  /** Answers the other nodes from now on, and collects their answers. */
  answer(usersOf: (kind: UsedKind, id: string) => readonly string[]): void {
    const { messaging, boot, node } = this.#cluster;
    this.#stops.push(
      messaging.subscribe(queryTopic, (payload) => {
        const { boot: to, number, kind, id } = decode(payload) as Query;
        messaging.publish(answerTopic, encode({ to, number, boot, node, flows: usersOf(kind, id).slice(0, maxFlows) } satisfies Answer));
      }),
      messaging.subscribe(answerTopic, (payload) => {
        const answer = decode(payload) as Answer;
        if (answer.to === boot) this.#answers.get(answer.number)?.set(answer.boot, answer);
        this.#session.wake();
      }),
    );
  }

  async query(kind: UsedKind, id: string, waitMs: number): Promise<readonly FlowElsewhere[]> {
    const { messaging, boot } = this.#cluster;
    const number = ++this.#number;
    const answers = new Map<string, Answer>();
    this.#answers.set(number, answers);
    messaging.publish(queryTopic, encode({ boot, number, kind, id } satisfies Query));
    const until = systemClock.monotonic() + Math.min(waitMs, maxWaitMs);
    // A node that is still starting has no flows yet, or cannot answer.
    await this.#session.eventually((live) => live.every((node) => node.boot === boot || !node.isReady || answers.has(node.boot)), until);
    this.#answers.delete(number);
    const sorted = [...answers.values()].sort((a, b) => (a.node < b.node ? -1 : 1));
    return sorted.flatMap(({ node, flows }) => flows.map((flow) => ({ flow, node })));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }
}
