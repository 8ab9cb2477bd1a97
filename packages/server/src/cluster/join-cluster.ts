// Makes this runtime a node of a cluster: connects to the store, loads the configuration, and keeps up with the other nodes.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isClusterError, type BeanDeclaration, type Cluster, type Deployment, type Ids, type Log, type Route } from "@sluice/engine";
import type { SharedQueues } from "@sluice/connectors";
import { isFlowError } from "@sluice/engine/spi";
import { SettingsError, type Settings } from "../config.ts";
import type { DeadLetterSource } from "../dead-letters/dead-letter-store.ts";
import { flowKey } from "../flows/installed-flows.ts";
import { systemClock } from "../host/clock.ts";
import type { ChangeReport, ClusterNode, FollowedParts } from "../other-nodes/cluster-view.ts";
import { Refusal } from "../refusal.ts";
import { version } from "../version.ts";
import { applyChanges } from "./apply-change.ts";
import { readClusterTarget, type ClusterTarget } from "./cluster-target.ts";
import { ConfigFollower } from "./config-follower.ts";
import { openCluster } from "./open-cluster.ts";
import { OtherNodes } from "./other-nodes.ts";
import { createRecordCipher, type RecordCipher } from "./record-cipher.ts";
import { mappingKind, replicatedConnections, replicatedDocuments, replicatedPolicies, replicatedRouteStates, tableKind } from "./replicated-documents.ts";
import { replicatedFlowStore } from "./replicated-flow-store.ts";
import { replicatedKamelets } from "./replicated-kamelets.ts";
import { Session, type Heartbeat } from "./session.ts";
import { sharedRepository } from "./shared-keys.ts";
import { ClusterQueues } from "./shared-queues.ts";
import { SharedDeadLetters } from "./shared-dead-letters.ts";
import { Slots, slotOf } from "./slots.ts";
import { refusalOf, unsupportedParts } from "./unsupported.ts";
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
/** How long a starting node waits for the store. */
const connectMs = 30_000;
/** Interval at which a flow that could not be started here is retried. */
const retryMs = 30_000;
/** How long a stopping node tries to release its slots. */
const leaveMs = 5_000;

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

/** Folders of the data directory whose documents are records in a cluster. */
const unusedFolders = ["routes", "value-mappings", "message-mappings", "policies", "connections", "kamelets"];

/** A runtime that had its own documents does not use them as a node. */
async function warnAboutFiles(dataDir: string, log: Log): Promise<void> {
  for (const folder of unusedFolders) {
    const names = await readdir(join(dataDir, folder)).catch(() => []);
    if (names.some((name) => !name.startsWith(".")))
      log.write("WARN", "sluice.cluster", `The files in '${join(dataDir, folder)}' are not used in a cluster: deploy them with 'sluice deploy'`);
  }
}

async function connect(target: ClusterTarget, { settings, log, boot }: JoinParts, node: string): Promise<Cluster> {
  const until = systemClock.monotonic() + connectMs;
  for (;;) {
    try {
      return await openCluster(target, {
        node,
        boot,
        log,
        replicas: settings.clusterReplicas,
        versions: settings.versions,
        leaseMs: settings.clusterTtl,
        queueBytes: settings.queueBytes,
        deadLetterBytes: settings.deadLetterBytes,
      });
    } catch (error) {
      const { message } = error as Error;
      if (isPermanent(error) || systemClock.monotonic() > until)
        throw new SettingsError([`SERVICE_CLUSTER: cannot join the cluster '${target.name}': ${message}`]);
    }
    await new Promise<void>((resolve) => systemClock.after(250, resolve));
  }
}

/** True for errors that only the operator can fix: a missing client package, or a wrong setting. */
const isPermanent = (error: unknown): boolean =>
  (isClusterError(error) && error.kind === "misconfigured") || (isFlowError(error) && error.code === "client-missing");

/** The boot of the process that had this data directory before. It has ended, because this process holds the lock. */
async function replacedBoot(dataDir: string, boot: string): Promise<string | undefined> {
  const file = join(dataDir, "cluster-boot");
  const previous = await readFile(file, "utf8").catch(() => undefined);
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, boot);
  return previous;
}

class JoinedNode implements ClusterNode {
  readonly stores: ClusterNode["stores"];
  readonly gate: ClusterNode["gate"];
  readonly deadLetters: SharedDeadLetters;
  readonly refusalOf = refusalOf;
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
    const memory = beans.get("MemoryIdempotentRepository");
    if (memory === undefined) return;
    const shared = sharedRepository(memory, this.#cluster.claims);
    for (const name of memory.names) beans.set(name, shared);
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

  problemsOf(deployment: Deployment, catalog: Parameters<typeof unsupportedParts>[1]): ReturnType<ClusterNode["problemsOf"]> {
    return unsupportedParts(deployment, catalog);
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

  ready(): void {
    this.#isReady = true;
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
      nodes: this.#session.live(),
    };
  }

  async leave(): Promise<void> {
    this.#isReady = false;
    this.#cancelRetry?.();
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
      behind: [...this.#behind].slice(0, 20).map(([id, reason]) => ({ id, reason: reason.slice(0, 200) })),
    };
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

/** True for a route whose trigger runs on one node: a schedule or a poll. */
const isPlaced = ({ placement, trigger }: Route): boolean =>
  trigger !== "request" && trigger !== "route" && placement.tiedBy.some(({ kind }) => kind === "trigger");

const isActive = ({ status }: Route): boolean => status === "Started" || status === "Starting" || status === "Failed";
