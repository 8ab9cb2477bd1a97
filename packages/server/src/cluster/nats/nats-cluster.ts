// Opens a cluster whose store is NATS JetStream. Uses only features of nats-server 2.9.
import type * as JetStream from "@nats-io/jetstream";
import type * as Transport from "@nats-io/transport-node";
import { loadClient } from "@sluice/connectors";
import { ClusterError, type Cluster, type Collection, type ClaimSet, type Log } from "@sluice/engine";
import type { ClusterTarget } from "../cluster-target.ts";
import type { StoreOptions } from "../open-cluster.ts";
import { retryOperation } from "../retry-operation.ts";
import { claimStreamOf, NatsClaims } from "./nats-claims.ts";
import { delaySubjectOf } from "./nats-delays.ts";
import { lacksServers, storeLink, type NatsLink } from "./nats-link.ts";
import { natsMessaging } from "./nats-messaging.ts";
import { inboxPrefixOf, NatsPublisher } from "./nats-publisher.ts";
import { attemptStreamOf, delayStreamOf, queueStreamOf, queueSubjectOf } from "./nats-queue-message.ts";
import { NatsQueues } from "./nats-queues.ts";
import { NatsRecords, streamOf } from "./nats-records.ts";
import { createSendGroups } from "./send-groups.ts";

const transportPackage = { package: "@nats-io/transport-node", version: "3.3.1", reason: "a cluster on NATS" };
const jetstreamPackage = { package: "@nats-io/jetstream", version: "3.3.1", reason: "a cluster on NATS" };

const collections: readonly Collection[] = ["config", "nodes", "dead-letters", "dead-letter-messages", "groups", "sagas"];
const claimSets: readonly ClaimSet[] = ["slot", "pin", "hour", "day"];
/** NATS's default for `max_payload`. */
const defaultMaxPayload = 1024 ** 2;
const gibibyte = 1024 ** 3;
const connectMs = 5_000;
/** How long the records of nodes that do not return are stored. */
const nodeRecordMs = 600_000;
const attemptRecordMs = 30 * 86_400_000;

export async function openNatsCluster(target: ClusterTarget & { readonly store: "nats" }, options: StoreOptions): Promise<Cluster> {
  const { node, boot, log } = options;
  const transport = await loadClient<typeof Transport>(transportPackage);
  const jetstream = await loadClient<typeof JetStream>(jetstreamPackage);
  const connection = await transport.connect({
    servers: [...target.servers],
    name: `sluice ${node}`,
    inboxPrefix: inboxPrefixOf(target.name),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 400,
    waitOnFirstConnect: false,
    // Limits the wait for a server that accepts connections but does not respond: with the default of 20 s per server, the start of a node could time out.
    timeout: connectMs,
    // Without pings, a client does not detect a stopped server until the next request times out.
    pingInterval: 1_000,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(target.user === undefined ? {} : target.password === undefined ? { token: target.user } : { user: target.user, pass: target.password }),
    ...(target.isTls ? { tls: {} } : {}),
  });
  const jsm = await jetstream.jetstreamManager(connection, { checkAPI: false });
  const shared = { connection, transport, jetstream, name: target.name, sendGrouped: createSendGroups() };
  const link: NatsLink = {
    ...shared,
    publisher: new NatsPublisher(shared),
    js: jetstream.jetstream(connection),
    jsm,
    maxPayload: connection.info?.max_payload ?? defaultMaxPayload,
    isUp: true,
    reconnects: 0,
  };
  void followStatus(link, log);
  try {
    await retryOperation(storeLink(link), () => createStreams(link, options));
  } catch (error) {
    await connection.close();
    const { cause = error } = error as Error;
    throw lacksServers(cause) ? tooFewServers(options.replicas, cause) : error;
  }
  const records = new NatsRecords(link, log);
  const claims = new NatsClaims(link);
  const queues = new NatsQueues(link, options);
  const messaging = natsMessaging(link, node);
  return {
    node,
    boot,
    records,
    claims,
    queues,
    messaging,
    async close() {
      records.close();
      claims.close();
      queues.close();
      messaging.close();
      link.publisher.close();
      await connection.close();
    },
  };
}

async function followStatus(link: NatsLink, log: Log): Promise<void> {
  for await (const { type } of link.connection.status()) {
    if (type === "disconnect") {
      link.isUp = false;
      log.write("WARN", "sluice.cluster", "Lost the connection to NATS; reconnecting");
    } else if (type === "reconnect") {
      link.isUp = true;
      link.reconnects++;
      log.write("INFO", "sluice.cluster", "Reconnected to NATS");
    }
  }
}

/** The first node creates the streams; an existing stream is used as it is. */
async function createStreams(link: NatsLink, { replicas, versions, queueBytes, deadLetterBytes }: StoreOptions): Promise<void> {
  const { jetstream, name } = link;
  const limits = { storage: jetstream.StorageType.File, num_replicas: replicas, retention: jetstream.RetentionPolicy.Limits };
  const { Old, New } = jetstream.DiscardPolicy;
  const bounds: Readonly<Record<Collection, object>> = {
    config: { discard: New, max_bytes: 4 * gibibyte, deny_delete: true },
    nodes: { discard: Old, max_age: nodeRecordMs * 1e6 },
    "dead-letters": { discard: Old },
    groups: { discard: New },
    sagas: { discard: New },
    // Nodes remove the oldest dead letters earlier. This limits the messages whose node died before it wrote the dead letter.
    "dead-letter-messages": { discard: Old, max_bytes: 2 * deadLetterBytes },
  };
  for (const collection of collections)
    await create(link, {
      ...limits,
      name: streamOf(link, collection),
      subjects: [`$KV.${name}_${collection}.>`],
      max_msgs_per_subject: collection === "config" ? versions : 1,
      ...bounds[collection],
    });
  for (const set of claimSets)
    await create(link, {
      ...limits,
      name: claimStreamOf(link, set),
      subjects: [`${name}.claim.${set}.>`],
      max_msgs_per_subject: 1,
      discard: jetstream.DiscardPolicy.New,
      discard_new_per_subject: true,
    });
  const queued = { ...limits, discard: jetstream.DiscardPolicy.New, max_bytes: queueBytes };
  await create(link, { ...queued, name: queueStreamOf(link), subjects: [queueSubjectOf(link, "*", false), queueSubjectOf(link, "*", true)] });
  await create(link, { ...queued, name: delayStreamOf(link), subjects: [delaySubjectOf(link)] });
  await create(link, {
    ...limits,
    name: attemptStreamOf(link),
    subjects: [`${name}.attempts.*`],
    max_msgs_per_subject: 1,
    discard: jetstream.DiscardPolicy.Old,
    // A node that died between two deletions leaves a record behind.
    max_age: attemptRecordMs * 1e6,
  });
}

async function create({ jsm }: NatsLink, config: Parameters<JetStream.JetStreamManager["streams"]["add"]>[0]): Promise<void> {
  try {
    await jsm.streams.info(config.name);
    return;
  } catch (error) {
    if ((error as Error).name !== "StreamNotFoundError") throw error;
  }
  try {
    await jsm.streams.add(config);
  } catch (error) {
    // Another node may have created it at the same time.
    if (!/already in use/.test((error as Error).message)) throw error;
  }
}

const tooFewServers = (replicas: number, cause: Error): ClusterError =>
  new ClusterError("misconfigured", `NATS cannot store ${replicas} replicas: ${cause.message}; use that many servers, or lower SERVICE_CLUSTER_REPLICAS`, {
    cause,
  });
