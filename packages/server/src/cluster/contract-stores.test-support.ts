// The stores that the contract suite runs on, each with its servers.
import type { Cluster } from "@sluice/engine";
import { natsCluster, serverFor } from "@sluice/testkit";
import { afterAll, beforeAll, describe, it, type ExpectStatic } from "vitest";
import { readClusterTarget } from "./cluster-target.ts";
import { embeddedRuntime, queueLimit, type EmbeddedRuntime } from "./embedded-queues.test-support.ts";
import { memoryCluster } from "./memory-cluster.test-support.ts";
import { openCluster } from "./open-cluster.ts";

interface Store {
  /** Connects a node to the cluster of this name. */
  node(cluster: string, name: string): Promise<Cluster>;
  end(): Promise<void>;
}

const log = { write: () => undefined, enabled: () => false };
/** Number of versions stored per record. */
export const maxVersions = 10;
/** Long enough that a node renews its leases in time on a busy machine. */
const leaseMs = 5_000;
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (content: Uint8Array | undefined): string | undefined => (content === undefined ? undefined : new TextDecoder().decode(content));

let boots = 0;
/** Opens nodes of a cluster. On a busy machine the server may not accept a connection in time, which a runtime repeats too. */
export const nodeOpener =
  (urlOf: (cluster: string) => string, replicas: number): Store["node"] =>
  async (cluster, name) => {
    for (;;)
      try {
        return await openCluster(readClusterTarget(urlOf(cluster)), {
          node: name,
          boot: `${name}-${++boots}`,
          log,
          replicas,
          versions: maxVersions,
          leaseMs,
          queueBytes: queueLimit,
          deadLetterBytes: 16 * 1024 ** 2,
        });
      } catch (error) {
        // On a busy machine a server may need longer than the runtime waits.
        if (!/timeout|did not respond|unreachable/i.test(String(error))) throw error;
      }
  };

const embedded = "the embedded store";

/** Each store with its servers; undefined when they are not installed. */
const stores: Readonly<Record<string, () => Promise<Store | undefined>>> = {
  memory: async () => {
    const clusters = new Map<string, (node: string) => Cluster>();
    return {
      async node(cluster, name) {
        const found = clusters.get(cluster) ?? memoryCluster(maxVersions);
        clusters.set(cluster, found);
        return found(name);
      },
      end: async () => undefined,
    };
  },
  [embedded]: async () => {
    const runtimes = new Map<string, EmbeddedRuntime>();
    return {
      async node(cluster, name) {
        const found = runtimes.get(cluster) ?? embeddedRuntime();
        runtimes.set(cluster, found);
        return found.node(name) as Cluster;
      },
      async end() {
        for (const runtime of runtimes.values()) await runtime.end();
      },
    };
  },
  "one NATS server (needs NATS)": async () => {
    const server = await serverFor("nats", { own: true });
    return server && { node: nodeOpener((cluster) => `nats://${server.host}:${server.port}/${cluster}`, 1), end: () => server.end() };
  },
  "three NATS servers (needs NATS)": async () => {
    const servers = await natsCluster();
    return servers && { node: nodeOpener((cluster) => `nats://${servers.servers}/${cluster}`, 3), end: () => servers.end() };
  },
  "PostgreSQL (needs PostgreSQL)": async () => {
    const server = await serverFor("postgres", { own: true });
    return (
      server && { node: nodeOpener((cluster) => `postgres://postgres@${server.host}:${server.port}/postgres?cluster=${cluster}`, 1), end: () => server.end() }
    );
  },
};

interface CheckOptions {
  /** Why the check does not apply to a runtime without a cluster. */
  readonly clusterOnly?: string;
  /** It waits until a lease or a delay ends, concurrently with its neighbours. */
  readonly waits?: boolean;
}

export interface CheckContext {
  /** Concurrent tests cannot use the global one. */
  readonly expect: ExpectStatic;
  /** Nodes of a new cluster, or of the cluster that all tests share; closed after the test. */
  nodes(count: number): Promise<readonly [Cluster, ...Cluster[]]>;
}

export interface StoreUnderTest {
  /** A test that is skipped when the store is not installed. */
  check(name: string, run: (context: CheckContext) => Promise<void>, options?: CheckOptions): void;
}

/** Stores whose queues have no size limit. */
const unlimitedStores = ["memory"];

/** Stores with slow tests; `npm run test:faults` runs all of them. */
const slowStores = ["three NATS servers (needs NATS)"];
const runsSlowStores = process.env["SLUICE_CONTRACT"] === "all";

/**
 * Defines the same tests for every store. `isShared` runs them in one cluster, which is faster than a new one for each test. `isSlow` skips the slow
 * stores in `npm test`; `isEmbedded` adds the store of a runtime without a cluster; `isLimited` skips the stores whose queues have no limit.
 */
export function onEveryStore(
  subject: string,
  define: (store: StoreUnderTest) => void,
  { isShared = false, isSlow = false, isEmbedded = false, isLimited = false } = {},
): void {
  const chosen = Object.entries(stores)
    .filter(([title]) => !isLimited || !unlimitedStores.includes(title))
    .filter(([title]) => isEmbedded || title !== embedded)
    .filter(([title]) => !isSlow || runsSlowStores || !slowStores.includes(title));
  for (const [title, open] of chosen)
    describe(`${subject} on ${title}`, () => {
      let store: Store | undefined;
      let clusters = 0;
      beforeAll(async () => {
        store = await open();
      });
      afterAll(() => store?.end());
      define({
        check(name, run, { clusterOnly, waits = false } = {}) {
          if (title === embedded && clusterOnly !== undefined) return;
          it(name, { concurrent: waits }, async ({ skip, expect }) => {
            if (store === undefined) return skip();
            const { node } = store;
            // Closing one handle of the embedded store ends all of them.
            const cluster = isShared && title !== embedded ? "shared" : `c${++clusters}`;
            const opened: Cluster[] = [];
            try {
              await run({
                expect,
                async nodes(count) {
                  const all = [];
                  for (let index = 1; index <= count; index++) all.push(await node(cluster, `n${index}`));
                  opened.push(...all);
                  return all as unknown as readonly [Cluster, ...Cluster[]];
                },
              });
            } finally {
              for (const each of opened) await each.close();
            }
          });
        },
      });
    });
}
