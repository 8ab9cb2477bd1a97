// Test sessions of a cluster. The home of a session is the node that opened it. Every flow whose steps the session mocks is pinned: its requests run on
// the home of the session, so that every call is mocked and recorded once and in order. A pin ends with the session, or with its home.
import type { Claim, Cluster, SessionTag } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";
import type { MissingResponse } from "../other-nodes/node-queries.ts";
import { claimForProcess, ownerOf } from "./claim-for-process.ts";
import type { OtherNodes, Topic } from "./other-nodes.ts";
import type { Session } from "./session.ts";
import { storeServiceError } from "./store-service-error.ts";

/** The pinned flows and the open sessions of a node. */
export interface Pins {
  /** Incremented with every change, so that messages that arrive late are ignored. */
  readonly version: number;
  readonly flows: readonly string[];
  readonly sessions: readonly PinnedSession[];
}

type PinnedSession = Pick<SessionTag, "id" | "skipTime">;

const noPins: Pins = { version: 0, flows: [], sessions: [] };

const pinsTopic: Topic<{ readonly boot: string; readonly pins: Pins }, null> = { name: "pins" };
const timeoutMs = 2_000;

export interface SessionPinParts {
  readonly cluster: Cluster;
  readonly session: Session;
  readonly others: OtherNodes;
  /** Called when the node of a flow may have changed. */
  changed(): void;
}

export class SessionPins {
  readonly #parts: SessionPinParts;
  readonly #claims = new Map<string, Claim>();
  /** The nodes of flows that other nodes have pinned. */
  #homes: ReadonlyMap<string, string> = new Map();
  /** The pins of this node. */
  ownPins: Pins = noPins;

  constructor(parts: SessionPinParts) {
    this.#parts = parts;
  }

  respond(): () => void {
    const { others, session, changed } = this.#parts;
    return others.respond(pinsTopic, ({ boot, pins }) => {
      session.pinsReceived(boot, pins);
      this.refresh();
      changed();
      return null;
    });
  }

  /** Call when nodes may have joined or left. */
  refresh(): void {
    const { cluster, session } = this.#parts;
    const others = session.live().filter(({ boot }) => boot !== cluster.boot);
    this.#homes = new Map(others.flatMap(({ node, pins }) => (pins?.flows ?? []).map((flow) => [flow, node] as const)));
  }

  /** The node that runs a flow for a test session. */
  homeOf(flowId: string): string | undefined {
    return this.ownPins.flows.includes(flowId) ? this.#parts.cluster.node : this.#homes.get(flowId);
  }

  /** A session of another node. */
  remoteSession(id: string): PinnedSession | undefined {
    const { cluster, session } = this.#parts;
    return session
      .live()
      .filter(({ boot }) => boot !== cluster.boot)
      .flatMap(({ pins }) => pins?.sessions ?? [])
      .find((open) => open.id === id);
  }

  /** Claims flows for a session on this node; returns the name of another node that has already claimed one of them. */
  async claim(flows: readonly string[]): Promise<string | undefined> {
    for (const flow of flows) {
      const home = this.#claims.has(flow) ? undefined : await this.#claimFlow(flow);
      if (home !== undefined) return home;
    }
    return undefined;
  }

  /** Publishes the sessions of this node; returns the nodes that did not confirm. */
  async publish(flows: readonly string[], sessions: readonly PinnedSession[]): Promise<readonly MissingResponse[]> {
    const { cluster, session, others, changed } = this.#parts;
    this.ownPins = { version: this.ownPins.version + 1, flows, sessions };
    changed();
    const [{ incomplete }] = await Promise.all([others.request(pinsTopic, { boot: cluster.boot, pins: this.ownPins }, { timeoutMs }), session.sendHeartbeat()]);
    for (const [flow, claim] of this.#claims)
      if (!this.ownPins.flows.includes(flow)) {
        this.#claims.delete(flow);
        await cluster.claims.release(claim).catch(() => undefined);
      }
    return incomplete;
  }

  async #claimFlow(flow: string): Promise<string | undefined> {
    const { cluster, session } = this.#parts;
    try {
      const claim = await claimForProcess(cluster, "pin", `session/${flow}`, (boot) => boot === cluster.boot || session.isDead(boot));
      const owner = session.live().find(({ boot }) => boot === ownerOf(claim));
      if (!claim.won && owner !== undefined) return owner.node;
      if (!claim.won) throw new ServiceError("conflict", `flow '${flow}' is used by a test session on another node: try again`);
      this.#claims.set(flow, claim);
      return undefined;
    } catch (error) {
      throw storeServiceError(error);
    }
  }
}
