// The store of cluster tests: `npm test` uses NATS, `npm run test:faults` runs the same tests on PostgreSQL.
import { serverFor, type TestServer } from "@sluice/testkit";

export interface TestStore {
  readonly title: "NATS" | "PostgreSQL";
  /** Undefined when its program is not installed. */
  readonly server: TestServer | undefined;
  /** The value of SERVICE_CLUSTER. */
  urlOf(server: TestServer): string;
}

/** Starts the store of this test run for a cluster with this name. */
export const startStore = (cluster: string): Promise<TestStore> =>
  process.env["SLUICE_CLUSTER_STORE"] === "postgres" ? startPostgres(cluster) : startNats(cluster);

export async function startNats(cluster: string): Promise<TestStore> {
  return { title: "NATS", server: await serverFor("nats", { own: true }), urlOf: ({ host, port }) => `nats://${host}:${port}/${cluster}` };
}

export async function startPostgres(cluster: string): Promise<TestStore> {
  return {
    title: "PostgreSQL",
    server: await serverFor("postgres", { own: true }),
    urlOf: ({ host, port }) => `postgres://postgres@${host}:${port}/postgres?cluster=${cluster}`,
  };
}
