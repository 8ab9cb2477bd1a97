// The port in memory: the model that the contract suite compares the stores with, and a store for tests of the code above the port.
import { ClusterError, type Claim, type ClaimSet, type Cluster, type Collection, type RecordVersion } from "@sluice/engine";

interface Change {
  readonly collection: Collection;
  readonly version: RecordVersion;
}

/** One store; each call of the returned function is a node. */
export function memoryCluster(keptVersions = 10): (node: string) => Cluster {
  const changes: Change[] = [];
  const heads = new Map<Collection, number>();
  const watches = new Set<{ readonly collection: Collection; readonly onChange: (change: RecordVersion) => void }>();
  const claims = new Map<string, Claim>();
  const handlers = new Set<{ readonly node: string; readonly topic: string; readonly handler: (payload: Uint8Array, from: string) => void }>();
  let token = 0;
  let boots = 0;

  const versionsOf = (collection: Collection, id: string): readonly RecordVersion[] =>
    changes
      .filter((change) => change.collection === collection && change.version.id === id)
      .map(({ version }) => version)
      .toReversed();
  const newestOf = (collection: Collection): readonly RecordVersion[] => {
    const newest = new Map<string, RecordVersion>();
    for (const { version } of changes.filter((change) => change.collection === collection)) {
      newest.delete(version.id);
      newest.set(version.id, version);
    }
    return [...newest.values()].filter(({ bytes }) => bytes !== undefined);
  };

  return (node) => ({
    node,
    boot: `${node}-${++boots}`,
    records: {
      async read(collection, id) {
        const newest = versionsOf(collection, id)[0];
        return newest?.bytes === undefined ? undefined : newest;
      },
      async write(collection, id, bytes, expect) {
        await Promise.resolve();
        const head = heads.get(collection) ?? 0;
        if (expect !== undefined && expect.head !== head) throw new ClusterError("conflict", `'${collection}' changed since revision ${expect.head}`);
        const version = { id, bytes, revision: head + 1, at: Date.now() };
        heads.set(collection, head + 1);
        changes.push({ collection, version });
        for (const watch of watches) if (watch.collection === collection) watch.onChange(version);
        return version;
      },
      watch(collection, onChange, onCaughtUp) {
        const watch = { collection, onChange };
        for (const version of newestOf(collection)) onChange(version);
        watches.add(watch);
        onCaughtUp(heads.get(collection) ?? 0);
        return { stop: () => void watches.delete(watch) };
      },
      versions: async (collection, id) => versionsOf(collection, id).slice(0, keptVersions),
    },
    claims: {
      async claim(set: ClaimSet, key, note) {
        await Promise.resolve();
        const owner = claims.get(`${set} ${key}`);
        if (owner !== undefined) return { ...owner, won: false };
        const claim = { set, key, won: true, note, token: ++token };
        claims.set(`${set} ${key}`, claim);
        return claim;
      },
      async release({ set, key, token: released }) {
        if (claims.get(`${set} ${key}`)?.token === released) claims.delete(`${set} ${key}`);
      },
    },
    messaging: {
      publish(topic, payload) {
        for (const other of handlers) if (other.node !== node && other.topic === topic) queueMicrotask(() => other.handler(payload, node));
      },
      subscribe(topic, handler) {
        const entry = { node, topic, handler };
        handlers.add(entry);
        return () => void handlers.delete(entry);
      },
    },
    close: async () => undefined,
  });
}
