// A node's view of its cluster, as used by the rest of the server. Undefined without SERVICE_CLUSTER; the implementation is then not
// loaded.
import type { BeanDeclaration, Catalog, Deployment, HttpIngress, RouteGate, Runtime, SessionTag } from "@sluice/engine";
import type { SharedQueues } from "@sluice/connectors";
import type { Diagnostic } from "@sluice/model";
import type { Policies } from "../access/policies.ts";
import type { PolicyStore } from "../access/policy-store.ts";
import type { UsedSignatures } from "../access/schemes/used-signatures.ts";
import type { NamedConnections } from "../connections/named-connections.ts";
import type { DeadLetterSource } from "../dead-letters/dead-letter-store.ts";
import type { FlowTestStore } from "../flows/disk-test-store.ts";
import type { FlowStore } from "../flows/flow-store.ts";
import type { FlowParts } from "../flows/installed-flows.ts";
import type { InstalledKamelets } from "../kamelets/installed-kamelets.ts";
import type { KameletStore } from "../kamelets/kamelet-store.ts";
import type { DocumentStore } from "../mappings/document-store.ts";
import type { RemoteFlow } from "../mappings/installed-document.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { ResponderParts, MissingResponse, NodeQueries } from "./node-queries.ts";

/** The progress of a change on the live nodes when the reply is sent. */
export interface ChangeReport {
  readonly revision: number;
  /** Live nodes. */
  readonly nodes: number;
  /** Live nodes that have applied the change. */
  readonly running: number;
  readonly behind: readonly { readonly node: string; readonly reason: string }[];
}

export interface NodeReport {
  readonly node: string;
  readonly boot: string;
  readonly version: string;
  readonly startedAt: string;
  readonly isReady: boolean;
  /** The last configuration revision that it has applied. */
  readonly applied: number;
  /** Slots it holds: it runs the schedules of flows in these slots. */
  readonly slots: readonly number[];
  /** Records that it could not apply. */
  readonly behind: readonly { readonly id: string; readonly reason: string }[];
}

export interface ClusterReport {
  readonly name: string;
  readonly store: "nats" | "postgres";
  readonly node: string;
  readonly connectivity: "connected" | "disconnected";
  /** The newest configuration revision that this node has read. */
  readonly revision: number;
  readonly applied: number;
  readonly nodes: readonly NodeReport[];
}

export interface ClusterView {
  /**
   * Runs a changing call: repeats it if another node made a conflicting change first, then waits until the live nodes have applied
   * the change.
   */
  change<T>(run: () => Promise<T>): Promise<{ readonly outcome: T; readonly report: ChangeReport | undefined }>;
  report(): ClusterReport;
  readonly queries: NodeQueries;
  /** Reserves flows for a test session on this node; returns the other node that has a session with one of them. */
  claimFlows(flows: readonly string[]): Promise<string | undefined>;
  /** Informs the other nodes about the open test sessions of this node; returns those that did not confirm. */
  publishSessions(): Promise<readonly MissingResponse[]>;
}

/** The stores of a node: reading is local, writing goes to the cluster. */
export interface ClusterStores {
  readonly flows: FlowStore;
  readonly tests: FlowTestStore;
  readonly valueMappings: DocumentStore;
  readonly messageMappings: DocumentStore;
  readonly routeStates: DocumentStore;
  readonly policies: PolicyStore;
  readonly connections: DocumentStore;
  readonly kamelets: KameletStore;
}

/** The parts of a node that apply configuration changes from other nodes. */
export interface FollowedParts {
  readonly flows: FlowParts;
  readonly runtime: Runtime;
  readonly mappings: Mappings;
  readonly policies: Policies;
  readonly connections: NamedConnections;
  readonly kamelets: InstalledKamelets;
}

export interface ClusterNode extends ClusterView {
  readonly stores: ClusterStores;
  readonly gate: RouteGate;
  /** Replaces the beans whose state the nodes share. */
  shareBeans(beans: Map<string, BeanDeclaration>): void;
  /** The used signatures of a flow, shared by all nodes: each signature is valid only once. */
  signaturesOf(flowId: string): UsedSignatures;
  /** The durable queues of the cluster. */
  queues(): SharedQueues;
  /** All queues of the cluster, or only those whose slot this node holds. */
  queueDepths(scope: "node" | "cluster"): Promise<readonly { readonly name: string; readonly depth: number; readonly bytes: number | undefined }[]>;
  readonly deadLetters: DeadLetterSource;
  /** Mounts webhooks so that requests for flows that run on another node are forwarded. */
  handOver(ingress: HttpIngress): HttpIngress;
  /** The tag of a test session of another node. */
  remoteSession(id: string): SessionTag | undefined;
  /** Moves dead letters that this runtime stored before it joined the cluster. */
  takeOverDeadLetters(source: DeadLetterSource): Promise<void>;
  /** Errors for parts of a flow that do not work in a cluster yet. */
  problemsOf(deployment: Deployment, catalog: Pick<Catalog, "connectors">): readonly Diagnostic[];
  /** The flows of other live nodes that use a document; nodes that do not respond in time are omitted. */
  remoteUsers(kind: "connection" | "kamelet", id: string): Promise<readonly RemoteFlow[]>;
  /** Applies changes from other nodes from now on. */
  follow(parts: FollowedParts): Promise<void>;
  /** Responds to requests of the other nodes from now on. */
  respond(parts: ResponderParts): void;
  /** Reports that this node is ready, and claims its share of the slots. */
  ready(): void;
  /** Gives up the slots; the other nodes take over at once. */
  leave(): Promise<void>;
  close(): Promise<void>;
}
