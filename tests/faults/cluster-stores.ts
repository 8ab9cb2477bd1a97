// The stores of a cluster, as processes that a test can kill.
import { natsCluster, serverFor } from "@sluice/testkit";

export interface ClusterStore {
  /** The value of SERVICE_CLUSTER. */
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Servers that can be lost one at a time; 0 when the store is a single server. */
  readonly servers: number;
  kill(server: number): Promise<void>;
  /** Stops a server cleanly. */
  stop(server: number): Promise<void>;
  restart(server: number): Promise<void>;
  /** Kills all servers of the store. */
  killAll(): Promise<void>;
  restartAll(): Promise<void>;
  end(): Promise<void>;
}

const size = 3;

export const stores: Readonly<Record<string, () => Promise<ClusterStore | undefined>>> = {
  "three NATS servers": async () => {
    const nats = await natsCluster();
    if (nats === undefined) return undefined;
    const forEachServer = (run: (server: number) => Promise<void>): Promise<void> =>
      Promise.all(Array.from({ length: size }, (_, index) => run(index))).then(() => undefined);
    return {
      url: `nats://${nats.servers}/faults`,
      env: { SERVICE_CLUSTER_REPLICAS: String(size) },
      servers: size,
      kill: nats.kill,
      stop: nats.stop,
      restart: nats.restart,
      killAll: () => forEachServer(nats.kill),
      restartAll: () => forEachServer(nats.restart),
      end: nats.end,
    };
  },
  PostgreSQL: async () => {
    const server = await serverFor("postgres", { own: true });
    return (
      server && {
        url: `postgres://postgres@${server.host}:${server.port}/postgres?cluster=faults`,
        env: {},
        servers: 0,
        kill: () => server.kill(),
        stop: () => server.kill(),
        restart: () => server.restart(),
        killAll: () => server.kill(),
        restartAll: () => server.restart(),
        end: () => server.end(),
      }
    );
  },
};
