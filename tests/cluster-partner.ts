// The system that the flows of a cluster call. It records which messages arrived, which scheduled ticks fired, and which node runs a schedule.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call of a timer that runs on the node that holds its slot; nothing else prevents two nodes from running it. */
export interface Beat {
  readonly schedule: string;
  readonly node: string;
  readonly at: number;
}

/** Two holders of a slot would alternate within this time. A slot that moves away and back takes longer, because nodes check once per second. */
const alternationMs = 900;
/** How long the partner works on a message with a key, so that two runs of the same key would overlap. */
const keyedMs = 5;

export class ClusterPartner {
  /** How many times each message arrived, by id. */
  readonly arrived = new Map<string, number>();
  /** The ids in the order in which they arrived. */
  readonly order: string[] = [];
  /** The nodes that fired each tick. */
  readonly ticks = new Map<string, string[]>();
  readonly beats: Beat[] = [];
  /** Messages that arrived while another one of the same key was running. */
  readonly overlaps: string[] = [];
  /** While true, calls of `/held` get no response until `releaseHeld`. */
  isHolding = false;
  readonly #held: ServerResponse[] = [];
  readonly #runningKeys = new Set<string>();
  readonly #server = createServer((request, response) => this.#received(request, response));

  static async open(): Promise<ClusterPartner> {
    const partner = new ClusterPartner();
    await new Promise<void>((resolve) => partner.#server.listen(0, "127.0.0.1", resolve));
    return partner;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Beats of one node between two beats of another node, close together: two nodes held the slot at the same time. */
  doubleHolders(): readonly string[] {
    const found: string[] = [];
    for (const [schedule, beats] of groupBeats(this.beats))
      beats.forEach((beat, index) => {
        const before = beats.slice(0, index).findLast(({ node }) => node !== beat.node);
        const after = before && beats.slice(index + 1).find(({ node }) => node === before.node);
        if (before !== undefined && after !== undefined && after.at - before.at < alternationMs)
          found.push(`${schedule}: ${before.node}, ${beat.node}, ${after.node} within ${Math.round(after.at - before.at)} ms`);
      });
    return found;
  }

  /** Ticks that fired more than once. */
  repeatedTicks(): readonly string[] {
    return [...this.ticks].filter(([, nodes]) => nodes.length > 1).map(([tick, nodes]) => `${tick} on ${nodes.join()}`);
  }

  /** Responds to the calls of `/held` that wait, and to later ones at once. */
  releaseHeld(): void {
    this.isHolding = false;
    for (const response of this.#held.splice(0)) response.writeHead(200).end();
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #received(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url as string, "http://partner");
    const [schedule, node] = [searchParams.get("schedule") ?? "", searchParams.get("node") ?? ""];
    let id = "";
    request.on("data", (chunk) => (id += chunk));
    request.on("end", () => {
      // real time: no test compares it with a limit; two holders at the same time are recognized by it.
      if (pathname === "/beat") this.beats.push({ schedule, node, at: performance.now() });
      else if (pathname === "/tick") this.#ticked(`${schedule} ${searchParams.get("tick")}`, node);
      else this.#arrived(id);
      if (pathname === "/held" && this.isHolding) return void this.#held.push(response);
      if (pathname === "/keyed") this.#runKeyed(id, response);
      else response.writeHead(id.startsWith("poison") ? 500 : 200).end();
    });
  }

  #ticked(tick: string, node: string): void {
    this.ticks.set(tick, [...(this.ticks.get(tick) ?? []), node]);
  }

  #arrived(id: string): void {
    this.arrived.set(id, (this.arrived.get(id) ?? 0) + 1);
    this.order.push(id);
  }

  #runKeyed(id: string, response: ServerResponse): void {
    const key = id.split(" ", 1)[0] as string;
    if (this.#runningKeys.has(key)) this.overlaps.push(id);
    this.#runningKeys.add(key);
    // `close` is emitted even when the node that made the call is killed.
    response.once("close", () => this.#runningKeys.delete(key));
    // real time: long enough for another message of the key to overlap, if it can.
    setTimeout(() => response.writeHead(200).end(), keyedMs);
  }
}

function groupBeats(beats: readonly Beat[]): ReadonlyMap<string, readonly Beat[]> {
  const groups = new Map<string, Beat[]>();
  for (const beat of beats) {
    const group = groups.get(beat.schedule) ?? [];
    group.push(beat);
    groups.set(beat.schedule, group);
  }
  return groups;
}
