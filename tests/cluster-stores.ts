// The store of cluster tests: `npm test` uses NATS, `npm run test:faults` runs the same tests on PostgreSQL.
import { serverFor, type TestServer } from "@sluice/testkit";
import { readClusterTarget } from "../packages/server/src/cluster/cluster-target.ts";
import { openCluster } from "../packages/server/src/cluster/open-cluster.ts";

export interface TestStore {
  readonly title: "NATS" | "PostgreSQL";
  /** Undefined when its program is not installed. */
  readonly server: TestServer | undefined;
  /** The value of SERVICE_CLUSTER for a cluster with this name. */
  urlOf(cluster: string): string;
}

/** Starts the store of this test run. */
export const startStore = (): Promise<TestStore> => (process.env["SLUICE_CLUSTER_STORE"] === "postgres" ? startPostgres() : startNats());

export async function startNats(): Promise<TestStore> {
  const server = await serverFor("nats", { own: true });
  return { title: "NATS", server, urlOf: (cluster) => `nats://${server?.host}:${server?.port}/${cluster}` };
}

export async function startPostgres(): Promise<TestStore> {
  const server = await serverFor("postgres", { own: true });
  return { title: "PostgreSQL", server, urlOf: (cluster) => `postgres://postgres@${server?.host}:${server?.port}/postgres?cluster=${cluster}` };
}

/** Ends the session of a process that was killed, as its successor does when it starts: the other nodes consider it dead without waiting for the TTL. */
export async function endSession(url: string, boot: string): Promise<void> {
  const cluster = await openCluster(readClusterTarget(url), {
    node: "test",
    boot: `test-${boot}`,
    log: { write: () => undefined, enabled: () => false },
    replicas: 1,
    versions: 10,
    leaseMs: 60_000,
    queueBytes: 1024 ** 3,
    deadLetterBytes: 1024 ** 3,
  });
  try {
    await cluster.records.write("nodes", boot, undefined);
  } finally {
    await cluster.close();
  }
}
