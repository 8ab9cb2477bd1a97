// Makes this runtime a node of a cluster: connects to the store, loads the configuration, and keeps up with the other nodes.
import { hostname } from "node:os";
import {
  type BeanDeclaration,
  type Catalog,
  type Cluster,
  type Deployment,
  type HttpIngress,
  type Ids,
  type Log,
  type Route,
  type SessionTag,
} from "@sluice/engine";
import type { SharedQueues } from "@sluice/connectors";
import { SettingsError, type Settings } from "../config.ts";
import type { DeadLetterSource } from "../dead-letters/dead-letter-store.ts";
import { flowKey } from "../flows/installed-flows.ts";
import { systemClock } from "../host/clock.ts";
import type { ChangeReport, ClusterNode, FollowedParts } from "../other-nodes/cluster-view.ts";
import type { AnswerParts, MissingAnswer } from "../other-nodes/node-queries.ts";
import { Refusal } from "../refusal.ts";
import { version } from "../version.ts";
import { applyChanges } from "./apply-change.ts";
import { readClusterTarget, type ClusterTarget } from "./cluster-target.ts";
import { connect, replacedBoot, warnAboutFiles } from "./connect.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import { ClusterQueries } from "./cluster-queries.ts";
import { ConfigFollower } from "./config-follower.ts";
import { HandOver } from "./hand-over.ts";
import { OtherNodes } from "./other-nodes.ts";
import { createRecordCipher, type RecordCipher } from "./record-cipher.ts";
import { mappingKind, replicatedConnections, replicatedDocuments, replicatedPolicies, replicatedRouteStates, tableKind } from "./replicated-documents.ts";
import { replicatedFlowStore } from "./replicated-flow-store.ts";
import { replicatedKamelets } from "./replicated-kamelets.ts";
import { Session, type Heartbeat } from "./session.ts";
import { SessionPins } from "./session-pins.ts";
import { shareKeys } from "./shared-keys.ts";
import { ClusterQueues } from "./shared-queues.ts";
import { SharedDeadLetters } from "./shared-dead-letters.ts";
import { Slots, slotOf } from "./slots.ts";
import { TiedFlows } from "./tied-flows.ts";
import { isStoredSource, keepsKeys, unsupportedParts } from "./unsupported.ts";
import { answerUsersOf, askUsersOf } from "./where-used.ts";

export interface JoinParts {
  readonly settings: Settings;
  /** The value of SERVICE_CLUSTER. */
  readonly cluster: string;
  readonly dataDir: string;
  readonly log: Log;
  /** A new id for this process. */
  readonly boot: string;
  readonly ids: Ids;
}

const maxAttempts = 8;
/** Interval at which a flow that could not be started here is retried. */
const retryMs = 30_000;
/** How long a stopping node tries to release its slots. */
const leaveMs = 5_000;
/** How often the nodes of flows are checked. */
const placementMs = 500;

export async function joinCluster(parts: JoinParts): Promise<ClusterNode> {
  const { settings, dataDir, log, boot } = parts;
  const target = readClusterTarget(parts.cluster);
  const node = settings.node ?? hostname();
  const cipher = createRecordCipher(settings.clusterKey, settings.clusterKeysOld);
  const cluster = await connect(target, parts, node);
  const joined = new JoinedNode(target, cluster, cipher, parts);
  try {
    await joined.open(await replacedBoot(dataDir, boot));
  } catch (error) {
    await joined.close();
    throw error;
  }
  await warnAboutFiles(dataDir, log);
  log.write("INFO", "sluice.cluster", `Joined the cluster '${target.name}' as node '${node}' at revision ${joined.report().applied}`);
  return joined;
}

class JoinedNode implements ClusterNode {
  readonly stores: ClusterNode["stores"];
  readonly gate: ClusterNode["gate"];
  readonly deadLetters: SharedDeadLetters;
  readonly queries: ClusterQueries;
  readonly #pins: SessionPins;
  readonly #handOver: HandOver;
  readonly #tied = new TiedFlows();
  #catalog: Pick<Catalog, "connectors"> | undefined = undefined;
  #sessions: TestSessions | undefined = undefined;
  readonly #target: ClusterTarget;
  readonly #cluster: Cluster;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #ids: Ids;
  readonly #follower: ConfigFollower;
  readonly #session: Session;
  readonly #slots: Slots;
  readonly #others: OtherNodes;
  readonly #stops: (() => void)[] = [];
  readonly #startedAt = new Date().toISOString();
  /** Records that could not be applied here, with the reason. */
  readonly #behind = new Map<string, string>();
  #parts: FollowedParts | undefined = undefined;
  #queues: ClusterQueues | undefined = undefined;
  #isReady = false;
  #cancelRetry: (() => void) | undefined = undefined;

  constructor(target: ClusterTarget, cluster: Cluster, cipher: RecordCipher, { settings, log, ids }: JoinParts) {
    this.#target = target;
    this.#ids = ids;
    this.#cluster = cluster;
    this.#settings = settings;
    this.#log = log;
    this.#follower = new ConfigFollower(cluster, cipher, () => this.#session.publishProgress());
    this.#session = new Session({ cluster, log, ttlMs: settings.clusterTtl, own: () => this.#heartbeat() });
    this.#others = new OtherNodes(cluster, this.#session, cipher);
    this.queries = new ClusterQueries(cluster.node, this.#others);
    this.#pins = new SessionPins({ cluster, session: this.#session, others: this.#others, changed: () => this.#handOver.refresh() });
    this.#handOver = new HandOver({
      cluster,
      cipher,
      nodeOf: (flowId) => this.#nodeOf(flowId),
      isLiveNode: (node) => this.#session.live().some((live) => live.node === node),
      sessionOf: (id) => this.#sessions?.tagOf(id),
    });
    this.#slots = new Slots({ cluster, session: this.#session, log, reconcile: () => this.#reconcile() });
    const { deadLetters, deadLetterBytes } = settings;
    this.deadLetters = new SharedDeadLetters({
      cluster,
      cipher,
      ids,
      log,
      limits: { deadLetters, deadLetterBytes },
      isLive: (boot) => this.#session.isLive(boot),
    });
    const { tests, ...flows } = replicatedFlowStore(cluster, this.#follower);
    this.stores = {
      flows,
      tests,
      valueMappings: replicatedDocuments(this.#follower, tableKind),
      messageMappings: replicatedDocuments(this.#follower, mappingKind),
      routeStates: replicatedRouteStates(this.#follower),
      policies: replicatedPolicies(this.#follower),
      connections: replicatedConnections(this.#follower),
      kamelets: replicatedKamelets(this.#follower, target.name),
    };
    this.gate = {
      isHeld: (route) => !isPlaced(route) || this.#slots.holds(slotOf(route.identity.flowId)),
      claimTick: (route, tick, isPermanent) => {
        const slot = slotOf(route.flowId);
        if (!this.#slots.holds(slot)) return false;
        if (tick === undefined) return true;
        return cluster.claims.claim(isPermanent ? "pin" : "hour", `tick/${route.flowId}/${route.id}/${route.flowHash}/${tick}`, Buffer.from(cluster.boot)).then(
          ({ won }) => won && this.#slots.holds(slot),
          (error: unknown) => {
            log.write("WARN", route.id, `Skipped a tick of route '${route.id}': ${(error as Error).message}`);
            return false;
          },
        );
      },
    };
  }

  async open(previousBoot: string | undefined): Promise<void> {
    await this.#session.open(previousBoot);
    await this.#follower.load();
    const [unreadable] = this.#follower.unreadable;
    if (unreadable !== undefined) throw new SettingsError([`SERVICE_CLUSTER: cannot read '${unreadable[0]}': ${unreadable[1]}`]);
  }

  queues(): SharedQueues {
    this.#queues = new ClusterQueues({
      cluster: this.#cluster,
      ids: this.#ids,
      maxMessageBytes: this.#settings.queueMessageBytes,
      isProven: () => this.#session.isValid,
      keyToken: (queue) => this.#slots.tokenOf(slotOf(queue)),
      keepLetter: (id, message, facts) => this.deadLetters.store(id, message, facts),
    });
    return this.#queues;
  }

  shareBeans(beans: Map<string, BeanDeclaration>): void {
    shareKeys(beans, this.#cluster.claims);
  }

  handOver(ingress: HttpIngress): HttpIngress {
    return this.#handOver.port(ingress);
  }

  sessionElsewhere(id: string): SessionTag | undefined {
    return this.#pins.sessionElsewhere(id);
  }

  async claimFlows(flows: readonly string[]): Promise<string | undefined> {
    for (const flow of flows) {
      const found = this.#parts?.runtime.deployments.get(flow)?.routes.find((route) => !isPinnable(route));
      if (found !== undefined)
        throw new Refusal(
          "cluster-unsupported",
          `test sessions that mock flow '${flow}' are not supported in a cluster yet: route '${found.identity.id}' starts with '${found.from}', and its messages may run on another node`,
        );
    }
    return this.#pins.claim(flows);
  }

  publishSessions(): Promise<readonly MissingAnswer[]> {
    const { flows, tags } = this.#sessions?.openSessions() ?? { flows: [], tags: [] };
    return this.#pins.publish(flows, tags);
  }

  async takeOverLetters(source: DeadLetterSource): Promise<void> {
    try {
      const table = await source.openExisting();
      if (table === undefined || table.count === 0) return;
      await this.deadLetters.open();
      const { count } = table;
      await this.deadLetters.takeOver(table);
      this.#log.write("INFO", "sluice.cluster", `Moved ${count} dead letters of this node to the cluster`);
    } catch (error) {
      this.#log.write("ERROR", "sluice.cluster", `Cannot move the dead letters of this node to the cluster: ${(error as Error).message}`);
    }
  }

  /** Only the holder of its slot reports a queue, so that sums over all nodes are right. */
  async queueDepths(): ReturnType<ClusterNode["queueDepths"]> {
    const all = await this.#cluster.queues.depths();
    return all.filter(({ queue }) => this.#slots.holds(slotOf(queue))).map(({ queue, ...counts }) => ({ name: queue, ...counts }));
  }

  problemsOf(deployment: Deployment, catalog: Parameters<typeof unsupportedParts>[1]): ReturnType<ClusterNode["problemsOf"]> {
    const problems = unsupportedParts(deployment, catalog, this.#parts?.runtime.deployments.values() ?? []);
    if (problems.length === 0) this.#tied.prepared(deployment, catalog);
    this.#catalog = catalog;
    return problems;
  }

  usersElsewhere(kind: "connection" | "kamelet", id: string): ReturnType<ClusterNode["usersElsewhere"]> {
    return askUsersOf(this.#others, { kind, id }, this.#settings.clusterSettleMs);
  }

  follow(parts: FollowedParts): void {
    this.#parts = parts;
    this.#stops.push(answerUsersOf(this.#others, (kind, id) => (kind === "connection" ? parts.connections : parts.kamelets).usersOf(id)));
    const apply = applyChanges(this.#follower, parts, this.#behind);
    this.#follower.follow(apply);
    const retry = (): void => {
      this.#cancelRetry = systemClock.after(retryMs, () => {
        void retryAll().then(() => {
          this.#session.publishProgress();
          retry();
        });
      });
    };
    const retryAll = async (): Promise<void> => {
      for (const id of [...this.#behind.keys()]) if (this.#behind.has(id)) await apply(id);
    };
    retry();
  }

  answer(parts: AnswerParts): void {
    this.#sessions = parts.sessions;
    this.#stops.push(...this.queries.answer(parts), this.#pins.answer(), this.#handOver.answer());
    // Pins end with their node, and slots move.
    const check = (): void => {
      if (this.#parts !== undefined && this.#catalog !== undefined) this.#tied.refresh(this.#parts.runtime, this.#catalog);
      this.#pins.refresh();
      this.#handOver.refresh();
      cancel = systemClock.after(placementMs, check);
    };
    let cancel = (): void => undefined;
    check();
    this.#stops.push(() => cancel());
  }

  ready(): void {
    this.#isReady = true;
    this.#session.publishProgress();
    this.#slots.start();
  }

  async change<T>(run: () => Promise<T>): Promise<{ readonly outcome: T; readonly report: ChangeReport | undefined }> {
    const before = this.#follower.ownRevision;
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await run();
        const { ownRevision } = this.#follower;
        return { outcome, report: ownRevision === before ? undefined : await this.#settled(ownRevision) };
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "cluster-conflict" || attempt === maxAttempts) throw error;
      }
      await this.#follower.caughtUp();
      // A random delay, so that nodes with conflicting writes do not retry at the same time.
      await new Promise<void>((resolve) => systemClock.after(Math.random() * attempt * 20, resolve));
    }
  }

  report(): ReturnType<ClusterNode["report"]> {
    const { applied, head } = this.#follower;
    return {
      name: this.#target.name,
      store: this.#target.store,
      node: this.#cluster.node,
      connectivity: this.#session.isValid ? "connected" : "disconnected",
      revision: head,
      applied,
      // The ids of test sessions are secret.
      nodes: this.#session.live().map(({ pins: _, ...node }) => node),
    };
  }

  async leave(): Promise<void> {
    this.#isReady = false;
    this.#cancelRetry?.();
    // Test sessions end with their node.
    if (this.#pins.own.sessions.length > 0) await this.#pins.publish([], []);
    // The store may be unreachable: the slots are then free after the TTL.
    await Promise.race([this.#slots.stop(), new Promise<void>((resolve) => systemClock.after(leaveMs, resolve))]);
  }

  async close(): Promise<void> {
    this.#cancelRetry?.();
    this.#follower.stop();
    this.deadLetters.close();
    for (const stop of this.#stops) stop();
    await this.#queues?.close();
    await this.#session.close();
    await this.#cluster.close();
  }

  #heartbeat(): Heartbeat {
    return {
      node: this.#cluster.node,
      boot: this.#cluster.boot,
      version,
      startedAt: this.#startedAt,
      isReady: this.#isReady,
      applied: this.#follower.applied,
      slots: this.#slots.list(),
      pins: this.#pins.own,
      behind: [...this.#behind].slice(0, 20).map(([id, reason]) => ({ id, reason: reason.slice(0, 200) })),
    };
  }

  /** The node that runs the requests of a flow; undefined while no node holds its slot. */
  #nodeOf(flowId: string): string | undefined {
    const { node, boot } = this.#cluster;
    const home = this.#pins.homeOf(flowId);
    if (home !== undefined || !this.#tied.has(flowId)) return home ?? node;
    const slot = slotOf(flowId);
    if (this.#slots.holds(slot)) return node;
    return this.#session.live().find((live) => live.boot !== boot && live.slots.includes(slot))?.node;
  }

  /** Waits until the live nodes have applied a revision, and names those that have not. */
  async #settled(revision: number): Promise<ChangeReport> {
    const until = systemClock.monotonic() + this.#settings.clusterSettleMs;
    await this.#follower.hasApplied(revision, until);
    this.#session.publishProgress();
    await this.#session.eventually((live) => live.every(({ applied }) => applied >= revision), until);
    const live = this.#session.live();
    const behind = live.flatMap(({ node, applied, behind: failed }) => {
      if (applied < revision) return [{ node, reason: `did not confirm revision ${revision} in time` }];
      return failed.map(({ id, reason }) => ({ node, reason: `${id}: ${reason}` }));
    });
    return { revision, nodes: live.length, running: live.length - new Set(behind.map(({ node }) => node)).size, behind };
  }

  /** Starts the schedules and polls of the slots that this node holds, and suspends those of the others. */
  async #reconcile(): Promise<void> {
    await Promise.all([this.#placeRoutes(), this.#queues?.slotsChanged()]);
  }

  async #placeRoutes(): Promise<void> {
    const { runtime, flows } = this.#parts ?? {};
    if (runtime === undefined || flows === undefined) return;
    const isWrong = (route: Route): boolean =>
      this.gate.isHeld(route) ? route.status === "Suspended" && flows.routeStates.of(route.identity) === undefined : isActive(route);
    for (const { identity } of [...runtime.routes.values()].filter((route) => isPlaced(route) && isWrong(route)))
      // Not while the flow is being replaced: the old version must not start again.
      await flows.mutex.run(flowKey(identity.flowId), async () => {
        const route = runtime.routes.get(identity.id);
        if (route === undefined || !isPlaced(route) || !isWrong(route)) return;
        await (isActive(route) ? route.suspend() : route.start()).catch((error: unknown) =>
          this.#log.write("ERROR", identity.id, `Cannot move route '${identity.id}'`, undefined, { error }),
        );
      });
  }
}

/** True for a route that runs on the node where its request arrives, or where it is called. */
const isPinnable = (route: Route): boolean => (route.trigger === "request" || route.trigger === "route") && !isStoredSource(route) && !keepsKeys(route);

/** True for a route whose trigger runs on one node: a schedule or a poll. */
const isPlaced = ({ placement, trigger }: Route): boolean =>
  trigger !== "request" && trigger !== "route" && placement.tiedBy.some(({ kind }) => kind === "trigger");

const isActive = ({ status }: Route): boolean => status === "Started" || status === "Starting" || status === "Failed";
