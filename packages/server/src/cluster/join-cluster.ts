// Makes this runtime a node of a cluster: connects to the store, loads the configuration, and applies the changes of the other nodes.
import { resolve } from "node:path";
import {
  isClusterError,
  type BeanDeclaration,
  type Catalog,
  type Cluster,
  type Deployment,
  type HttpIngress,
  type Ids,
  type Log,
  type SessionTag,
} from "@sluice/engine";
import type { SharedQueues } from "@sluice/connectors";
import type { UsedSignatures } from "../access/schemes/used-signatures.ts";
import { SettingsError, type Settings } from "../config.ts";
import type { DeadLetterSource } from "../dead-letters/dead-letter-store.ts";
import { systemClock } from "../host/clock.ts";
import type { ChangeReport, ClusterNode, FollowedParts } from "../other-nodes/cluster-view.ts";
import type { ResponderParts, MissingResponse } from "../other-nodes/node-queries.ts";
import { ServiceError } from "../service-error.ts";
import { version } from "../version.ts";
import { applyChanges } from "./apply-change.ts";
import { readClusterTarget, type ClusterTarget } from "./cluster-target.ts";
import { connect, forgetPreviousBoots, previousBoots, warnAboutFiles } from "./connect.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import { ClusterQueries } from "./cluster-queries.ts";
import { ReplicatedConfig } from "./replicated-config.ts";
import { ForwardedFlows, missingFlows, type RunningVersion } from "./forwarded-flows.ts";
import { HandOver } from "./hand-over.ts";
import { OtherNodes } from "./other-nodes.ts";
import { createGate, placeRoutes } from "./place-routes.ts";
import { createRecordCipher, type RecordCipher } from "./record-cipher.ts";
import { mappingKind, replicatedConnections, replicatedDocuments, replicatedPolicies, replicatedRouteStates, tableKind } from "./replicated-documents.ts";
import { flowKind, replicatedFlowStore } from "./replicated-flow-store.ts";
import { replicatedKamelets } from "./replicated-kamelets.ts";
import { Session, type Heartbeat } from "./session.ts";
import { SessionPins } from "./session-pins.ts";
import { SharedAggregations } from "./shared-aggregation.ts";
import { shareKeys } from "./shared-keys.ts";
import { SharedSagas } from "./shared-sagas.ts";
import { sharedSignatures } from "./shared-signatures.ts";
import { ClusterQueues } from "./shared-queues.ts";
import { SharedDeadLetters } from "./shared-dead-letters.ts";
import { settledReport } from "./settled-report.ts";
import { Slots, slotOf } from "./slots.ts";
import { waitForStartStep } from "./wait-for-start-step.ts";
import { takeOverDeadLetters } from "./take-over-dead-letters.ts";
import { TiedFlows } from "./tied-flows.ts";
import { isPinnable, unsupportedParts } from "./unsupported.ts";
import { respondToUsageQueries, queryUsage } from "./where-used.ts";

export interface JoinParts {
  readonly settings: Settings;
  /** The value of SERVICE_CLUSTER. */
  readonly cluster: string;
  /** The name of this node. */
  readonly node: string;
  readonly dataDir: string;
  readonly log: Log;
  /** A new id for this process. */
  readonly boot: string;
  readonly ids: Ids;
}

const maxAttempts = 8;
/** Interval at which records that could not be applied here are retried. */
const retryMs = 30_000;
/** How long a stopping node tries to release its slots. */
const leaveMs = 5_000;
/** Interval at which this node checks which nodes run its flows. */
const placementMs = 500;

export async function joinCluster(parts: JoinParts): Promise<ClusterNode> {
  const { settings, node, dataDir, log, boot } = parts;
  const target = readClusterTarget(parts.cluster);
  const cipher = createRecordCipher(settings.clusterKey, settings.clusterKeysOld);
  const cluster = await connect(target, parts);
  const joined = new JoinedNode(target, cluster, cipher, parts);
  try {
    await joined.open(await previousBoots(dataDir, boot));
    await forgetPreviousBoots(dataDir, boot);
  } catch (error) {
    await joined.close();
    throw isClusterError(error) ? new SettingsError([`SERVICE_CLUSTER: cannot join the cluster '${target.name}': ${error.message}`]) : error;
  }
  await warnAboutFiles(resolve(settings.dataDir), log);
  log.write("INFO", "sluice.cluster", `Joined the cluster '${target.name}' as node '${node}' at revision ${joined.report().applied}`);
  return joined;
}

class JoinedNode implements ClusterNode {
  readonly stores: ClusterNode["stores"];
  readonly gate: ClusterNode["gate"];
  readonly deadLetters: SharedDeadLetters;
  readonly queries: ClusterQueries;
  readonly signaturesOf = (flowId: string): UsedSignatures => sharedSignatures(this.#cluster.claims, flowId);
  readonly #pins: SessionPins;
  readonly #handOver: HandOver;
  readonly #tied = new TiedFlows();
  readonly #forwarded: ForwardedFlows;
  #catalog: Pick<Catalog, "connectors"> | undefined = undefined;
  #sessions: TestSessions | undefined = undefined;
  readonly #target: ClusterTarget;
  readonly #cluster: Cluster;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #ids: Ids;
  readonly #config: ReplicatedConfig;
  readonly #session: Session;
  readonly #slots: Slots;
  readonly #others: OtherNodes;
  readonly #stops: (() => void)[] = [];
  readonly #startedAt = new Date().toISOString();
  /** Records that could not be applied here, with the reason. */
  readonly #behind = new Map<string, string>();
  #parts: FollowedParts | undefined = undefined;
  #queues: ClusterQueues | undefined = undefined;
  readonly #aggregations: SharedAggregations;
  readonly #sagas: SharedSagas;
  #isReady = false;
  #cancelRetry: (() => void) | undefined = undefined;

  constructor(target: ClusterTarget, cluster: Cluster, cipher: RecordCipher, { settings, log, ids }: JoinParts) {
    this.#target = target;
    this.#ids = ids;
    this.#cluster = cluster;
    this.#settings = settings;
    this.#log = log;
    this.#config = new ReplicatedConfig(cluster, cipher, {
      applied: () => this.#session.publishProgress(),
      // The node that writes a flow has started it.
      written: (id) => void (id.startsWith(flowKind) && this.#behind.delete(id)),
    });
    this.#session = new Session({ cluster, log, ttlMs: settings.clusterTtl, heartbeat: () => this.#heartbeat(), expired: () => void this.#reconcile() });
    this.#others = new OtherNodes(cluster, this.#session, cipher);
    this.queries = new ClusterQueries(cluster.node, this.#others);
    this.#pins = new SessionPins({ cluster, session: this.#session, others: this.#others, changed: () => this.#handOver.refresh() });
    this.#handOver = new HandOver({
      cluster,
      cipher,
      nodeOf: (mount) => this.#nodeOf(mount),
      isDeadNode: (node) => this.#session.isValid && !this.#session.live().some((live) => live.node === node),
      sessionOf: (id) => this.#sessions?.tagOf(id),
    });
    this.#forwarded = new ForwardedFlows({
      others: this.#others,
      missing: () => missingFlows(this.#behind.keys(), this.#parts?.flows.installed),
      running: (flowId) => this.#runningVersion(flowId),
      mount: (description, nodeOf) => this.#handOver.mountForwarded(description, nodeOf),
    });
    this.#slots = new Slots({ cluster, session: this.#session, log, reconcile: () => this.#reconcile() });
    const { deadLetters, deadLetterBytes } = settings;
    const isDead = (boot: string): boolean => this.#session.isDead(boot);
    this.deadLetters = new SharedDeadLetters({
      cluster,
      cipher,
      ids,
      log,
      limits: { deadLetters, deadLetterBytes },
      isDead,
    });
    this.#aggregations = new SharedAggregations({
      cluster,
      cipher,
      log,
      ids,
      maxMessageBytes: settings.queueMessageBytes,
      put: async (queue, message) => this.#queues?.putSingle(queue, message),
      isDead,
      tokenOf: (flowId) => this.#slots.tokenOf(slotOf(flowId)),
    });
    this.#sagas = new SharedSagas({ cluster, cipher, log, isDead, holds: (flowId) => this.#slots.holds(slotOf(flowId)) });
    const { tests, ...flows } = replicatedFlowStore(cluster, this.#config);
    this.stores = {
      flows,
      tests,
      valueMappings: replicatedDocuments(this.#config, tableKind),
      messageMappings: replicatedDocuments(this.#config, mappingKind),
      routeStates: replicatedRouteStates(this.#config),
      policies: replicatedPolicies(this.#config),
      connections: replicatedConnections(this.#config),
      kamelets: replicatedKamelets(this.#config, target.name),
    };
    this.gate = createGate(cluster, this.#slots, this.#tied, log);
  }

  async open(previous: readonly string[]): Promise<void> {
    await this.#session.open(previous);
    await waitForStartStep(this.#log, "the configuration", this.#config.load());
    const [unreadable] = this.#config.unreadable;
    if (unreadable !== undefined) throw new SettingsError([`SERVICE_CLUSTER: cannot read '${unreadable[0]}': ${unreadable[1]}`]);
  }

  queues(): SharedQueues {
    this.#queues = new ClusterQueues({
      cluster: this.#cluster,
      ids: this.#ids,
      maxMessageBytes: this.#settings.queueMessageBytes,
      isSessionValid: () => this.#session.isValid,
      keyToken: (queue) => this.#slots.tokenOf(slotOf(queue)),
      storeDeadLetter: (id, message, metadata) => this.deadLetters.store(id, message, metadata),
    });
    return this.#queues;
  }

  shareBeans(beans: Map<string, BeanDeclaration>): void {
    shareKeys(beans, this.#cluster.claims);
    this.#aggregations.shareIn(beans);
    this.#sagas.shareIn(beans);
  }

  handOver(ingress: HttpIngress): HttpIngress {
    return this.#handOver.port(ingress);
  }

  remoteSession(id: string): SessionTag | undefined {
    return this.#pins.remoteSession(id);
  }

  async claimFlows(flows: readonly string[]): Promise<string | undefined> {
    for (const flow of flows) {
      const unpinnable = this.#parts?.runtime.deployments.get(flow)?.routes.find((route) => !isPinnable(route));
      if (unpinnable !== undefined)
        throw new ServiceError(
          "cluster-unsupported",
          `test sessions that mock flow '${flow}' are not supported in a cluster yet: route '${unpinnable.identity.id}' starts with '${unpinnable.from}', and its messages may run on another node`,
        );
    }
    return this.#pins.claim(flows);
  }

  publishSessions(): Promise<readonly MissingResponse[]> {
    const { flows, tags } = this.#sessions?.openSessions() ?? { flows: [], tags: [] };
    return this.#pins.publish(flows, tags);
  }

  takeOverDeadLetters(source: DeadLetterSource): Promise<void> {
    return takeOverDeadLetters(source, this.deadLetters, this.#log);
  }

  /** With the scope `node`, only the holder of a queue's slot reports the queue, so that sums over all nodes are correct. */
  async queueDepths(scope: "node" | "cluster"): ReturnType<ClusterNode["queueDepths"]> {
    const all = await this.#cluster.queues.depths();
    return all.filter(({ queue }) => scope === "cluster" || this.#slots.holds(slotOf(queue))).map(({ queue, ...counts }) => ({ name: queue, ...counts }));
  }

  problemsOf(deployment: Deployment, catalog: Parameters<typeof unsupportedParts>[1]): ReturnType<ClusterNode["problemsOf"]> {
    const problems = unsupportedParts(deployment, catalog, this.#parts?.runtime.deployments.values() ?? []);
    if (problems.length === 0) this.#tied.prepared(deployment, catalog);
    this.#catalog = catalog;
    return problems;
  }

  remoteUsers(kind: "connection" | "kamelet", id: string): ReturnType<ClusterNode["remoteUsers"]> {
    return queryUsage(this.#others, { kind, id }, this.#settings.clusterSettleMs);
  }

  async follow(parts: FollowedParts): Promise<void> {
    this.#parts = parts;
    this.#stops.push(this.#forwarded.respond());
    this.#stops.push(respondToUsageQueries(this.#others, (kind, id) => (kind === "connection" ? parts.connections : parts.kamelets).usersOf(id)));
    const apply = applyChanges(this.#config, parts, this.#behind);
    this.#config.follow(async (id) => {
      await apply(id);
      // Before this node confirms the change: no later request may get the previous version.
      await this.#forwarded.refresh(id.startsWith(flowKind) ? id.slice(flowKind.length) : undefined);
    });
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
      await this.#forwarded.refresh();
    };
    retry();
    await this.#forwarded.refresh();
  }

  respond(parts: ResponderParts): void {
    this.#sessions = parts.sessions;
    this.#stops.push(...this.queries.respond(parts), this.#pins.respond(), this.#handOver.respond());
    // Checked periodically, because pins end with their node, and slots move.
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
    void this.#session.sendHeartbeat();
    this.#slots.start();
  }

  async change<T>(run: () => Promise<T>): Promise<{ readonly outcome: T; readonly report: ChangeReport | undefined }> {
    const previousRevision = this.#config.ownRevision;
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await run();
        const { ownRevision } = this.#config;
        if (ownRevision === previousRevision) return { outcome, report: undefined };
        await this.#forwarded.refresh();
        return { outcome, report: await settledReport(ownRevision, this.#config, this.#session, this.#settings.clusterSettleMs) };
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "cluster-conflict" || attempt === maxAttempts) throw error;
      }
      await this.#config.catchUp();
      // A random delay, so that nodes with conflicting writes do not retry at the same time.
      await new Promise<void>((resolve) => systemClock.after(Math.random() * attempt * 20, resolve));
    }
  }

  report(): ReturnType<ClusterNode["report"]> {
    const { applied, head } = this.#config;
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
    if (this.#pins.ownPins.sessions.length > 0) await this.#pins.publish([], []);
    // The store may be unreachable: the slots then become free after the TTL.
    await Promise.race([this.#slots.stop(), new Promise<void>((resolve) => systemClock.after(leaveMs, resolve))]);
  }

  async close(): Promise<void> {
    this.#cancelRetry?.();
    this.#config.stop();
    this.deadLetters.close();
    for (const stop of this.#stops) stop();
    this.#aggregations.close();
    this.#sagas.close();
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
      applied: this.#config.applied,
      slots: this.#slots.list(),
      pins: this.#pins.ownPins,
      behind: [...this.#behind].slice(0, 20).map(([id, reason]) => ({ id, reason: reason.slice(0, 200) })),
    };
  }

  #runningVersion(flowId: string): RunningVersion | undefined {
    const flow = this.#parts?.flows.installed.get(flowId);
    return flow === undefined || flow.error !== undefined ? undefined : { hash: flow.hash, mounts: this.#handOver.mountsOf(flowId) };
  }

  /** The node that runs the requests of a route; undefined while no node holds its slot. */
  #nodeOf({ flowId, routeId }: { readonly flowId: string; readonly routeId: string }): string | undefined {
    const { node, boot } = this.#cluster;
    const home = this.#pins.homeOf(flowId);
    const slot = this.#tied.requestSlot(flowId, routeId);
    if (home !== undefined || slot === undefined) return home ?? node;
    if (this.#slots.holds(slot)) return node;
    return this.#session.live().find((live) => live.boot !== boot && live.slots.includes(slot))?.node;
  }

  /** Starts the schedules and polls of the slots that this node holds, and suspends those of the others. */
  async #reconcile(): Promise<boolean> {
    this.#aggregations.refresh();
    this.#sagas.refresh();
    const placed = this.#parts === undefined ? undefined : placeRoutes(this.#parts, this.gate, this.#tied, this.#log);
    const [, isSettled = true] = await Promise.all([placed, this.#queues?.slotsChanged()]);
    return isSettled;
  }
}
