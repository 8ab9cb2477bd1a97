// One test suite for every store of a cluster: NATS and PostgreSQL must behave like the in-memory model.
import { isClusterError, type Cluster, type RecordVersion } from "@sluice/engine";
import { serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, it } from "vitest";
import { bytes, nodeOpener, maxVersions, onEveryStore, text } from "./contract-stores.test-support.ts";

onEveryStore(
  "a cluster",
  ({ check }) => {
    check("reads written records, newest version first, and does not return deleted ones", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      expect(await one.records.read("config", "flow/a")).toBeUndefined();
      const first = await one.records.write("config", "flow/a", bytes("1"));
      const before = Date.now();
      const second = await two.records.write("config", "flow/a", bytes("2"));
      const after = Date.now();
      expect(second.revision).toBeGreaterThan(first.revision);
      const found = await one.records.read("config", "flow/a");
      expect([found?.id, text(found?.bytes), found?.revision]).toEqual(["flow/a", "2", second.revision]);
      // The clock of the store, which may round.
      expect([found?.at, before - 1_000 <= (found?.at ?? 0), (found?.at ?? 0) <= after + 1_000]).toEqual([found?.at, true, true]);
      const third = await one.records.write("config", "flow/a", undefined);
      expect(await two.records.read("config", "flow/a")).toBeUndefined();
      const versions = await two.records.versions("config", "flow/a");
      expect(versions.map(({ revision, bytes: content }) => [revision, text(content)])).toEqual([
        [third.revision, undefined],
        [second.revision, "2"],
        [first.revision, "1"],
      ]);
    });

    check("keeps only the newest versions of each record", async ({ nodes, expect }) => {
      const [one] = await nodes(1);
      for (let version = 1; version <= maxVersions + 3; version++) await one.records.write("config", "flow/a", bytes(String(version)));
      await one.records.write("config", "flow/b", bytes("b"));
      const versions = await one.records.versions("config", "flow/a");
      expect(versions.map(({ bytes: content }) => text(content))).toEqual(Array.from({ length: maxVersions }, (_, index) => String(maxVersions + 3 - index)));
    });

    check("accepts any id", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      const ids = ["flow/a.b", "flow/a_b", "flow/a-b", "flow/ä ö", "flow/*", "flow/>", `flow/${"x".repeat(300)}`, `flow/${"x".repeat(299)}y`];
      for (const id of ids) await one.records.write("config", id, bytes(id));
      for (const id of ids) expect(text((await two.records.read("config", id))?.bytes)).toBe(id);
      const seen = await initialChanges(two);
      expect(seen.map(({ id }) => id)).toEqual(ids);
    });

    check("rejects a write that expects another head, whichever record changed", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      const { revision: head } = await one.records.write("config", "flow/a", bytes("1"));
      await two.records.write("config", "flow/b", bytes("2"), { head });
      await expect(one.records.write("config", "flow/a", bytes("3"), { head })).rejects.toMatchObject({ kind: "conflict" });
      await expect(one.records.write("config", "flow/a", undefined, { head })).rejects.toMatchObject({ kind: "conflict" });
      expect(text((await two.records.read("config", "flow/a"))?.bytes)).toBe("1");
    });

    check("accepts only one of several concurrent writes that expect the same head", async ({ nodes, expect }) => {
      const all = await nodes(3);
      const accepted = new Map<number, number>();
      let conflicts = 0;
      let head = (await all[0].records.write("config", "flow/a", bytes("0"))).revision;
      const writer = async (cluster: Cluster, name: string): Promise<void> => {
        while (accepted.size <= 20 || conflicts <= 20) {
          const expected = head;
          try {
            const { revision } = await cluster.records.write("config", "flow/a", bytes(name), { head: expected });
            accepted.set(expected, (accepted.get(expected) ?? 0) + 1);
            head = Math.max(head, revision);
          } catch (error) {
            if (!isClusterError(error) || error.kind !== "conflict") throw error;
            conflicts++;
            head = Math.max(head, (await cluster.records.read("config", "flow/a"))?.revision ?? 0);
          }
        }
      };
      await Promise.all(all.flatMap((cluster) => [writer(cluster, "x"), writer(cluster, "y")]));
      expect([...accepted.values()].filter((times) => times > 1)).toEqual([]);
    });

    /** The changes that a new watch reports before it has caught up. */
    async function initialChanges(cluster: Cluster): Promise<readonly RecordVersion[]> {
      const seen: RecordVersion[] = [];
      await new Promise<void>((resolve) => {
        const watch = cluster.records.watch(
          "config",
          (change) => void seen.push(change),
          () => {
            resolve();
            queueMicrotask(() => watch.stop());
          },
        );
      });
      return seen;
    }

    check("a watch reports existing records once, in order, then the head, then every change", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      await one.records.write("config", "flow/a", bytes("old"));
      await one.records.write("config", "flow/gone", bytes("x"));
      await one.records.write("config", "flow/b", bytes("b"));
      await one.records.write("config", "flow/gone", undefined);
      const { revision } = await one.records.write("config", "flow/a", bytes("a"));
      const seen: string[] = [];
      const revisions: number[] = [];
      const watch = two.records.watch(
        "config",
        (change) => {
          revisions.push(change.revision);
          seen.push(`${change.id}=${text(change.bytes)}`);
        },
        (head) => void seen.push(`head ${head === revision}`),
      );
      await expect.poll(() => seen.at(-1)).toBe("head true");
      expect(seen).toEqual(["flow/b=b", "flow/a=a", "head true"]);
      await one.records.write("config", "flow/b", undefined);
      for (let version = 1; version <= 20; version++) await (version % 2 === 0 ? one : two).records.write("config", "flow/c", bytes(String(version)));
      await expect.poll(() => seen.at(-1)).toBe("flow/c=20");
      expect(seen.slice(3)).toEqual(["flow/b=undefined", ...Array.from({ length: 20 }, (_, index) => `flow/c=${index + 1}`)]);
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      watch.stop();
      await one.records.write("config", "flow/c", bytes("unseen"));
      expect(seen.at(-1)).toBe("flow/c=20");
    });

    check("a write resolves after the node's own watch has reported it", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      let seen = 0;
      await new Promise<void>(
        (resolve) =>
          void one.records.watch(
            "config",
            (change) => (seen = change.revision),
            () => resolve(),
          ),
      );
      for (let version = 0; version < 20; version++) {
        await two.records.write("config", "flow/other", bytes(String(version)));
        const { revision } = await one.records.write("config", "flow/own", bytes(String(version)));
        expect(seen).toBeGreaterThanOrEqual(revision);
      }
    });

    check("records of dead letters can be removed and written again, and watches report it", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      for (const collection of ["dead-letters", "dead-letter-messages"] as const) {
        const first = await one.records.write(collection, "a", bytes("1"));
        expect(text((await two.records.read(collection, "a"))?.bytes)).toBe("1");
        const removed = await two.records.write(collection, "a", undefined);
        expect(removed.revision).toBeGreaterThan(first.revision);
        expect(await one.records.read(collection, "a")).toBeUndefined();
        const again = await one.records.write(collection, "a", bytes("2"));
        expect(again.revision).toBeGreaterThan(removed.revision);
        await one.records.write(collection, "b", bytes("b"));
        await one.records.write(collection, "b", undefined);
        expect([text((await two.records.read(collection, "a"))?.bytes), await two.records.read(collection, "b")]).toEqual(["2", undefined]);
      }
      const seen: string[] = [];
      two.records.watch(
        "dead-letters",
        ({ id, bytes: content }) => void seen.push(`${id}=${text(content)}`),
        () => void seen.push("caught up"),
      );
      await expect.poll(() => seen).toEqual(["a=2", "caught up"]);
      await one.records.write("dead-letters", "a", undefined);
      await one.records.write("dead-letters", "c", bytes("c"));
      await expect.poll(() => seen).toEqual(["a=2", "caught up", "a=undefined", "c=c"]);
    });

    check("a watch of an empty collection catches up immediately", async ({ nodes, expect }) => {
      const [one] = await nodes(1);
      expect(await initialChanges(one)).toEqual([]);
    });

    check("exactly one of several concurrent claims of a key wins, and all receive the winner's note", async ({ nodes, expect }) => {
      const all = await nodes(3);
      for (let key = 0; key < 20; key++) {
        const results = await Promise.all(
          all.flatMap((cluster) => [1, 2].map((attempt) => cluster.claims.claim("hour", `k/${key}`, bytes(`${cluster.boot}/${attempt}`)))),
        );
        const won = results.filter((claim) => claim.won);
        expect(won).toHaveLength(1);
        expect(new Set(results.map((claim) => text(claim.note)))).toEqual(new Set([text(won[0]?.note)]));
        expect(new Set(results.map(({ token }) => token)).size).toBe(1);
      }
    });

    check("a released key can be claimed again with a higher token, and a late release does not affect it", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      const first = await one.claims.claim("slot", "7", bytes("one"));
      await two.claims.release(await two.claims.claim("slot", "7", bytes("two")));
      const second = await two.claims.claim("slot", "7", bytes("two"));
      expect([second.won, second.token > first.token]).toEqual([true, true]);
      await one.claims.release(first);
      const third = await one.claims.claim("slot", "7", bytes("one"));
      expect([third.won, text(third.note), third.token]).toEqual([false, "two", second.token]);
      expect((await one.claims.claim("pin", "7", bytes("other set"))).won).toBe(true);
    });

    check("messages reach the other nodes until the subscription ends", async ({ nodes, expect }) => {
      const [one, two, three] = (await nodes(3)) as [Cluster, Cluster, Cluster];
      const received: string[] = [];
      const end = two.messaging.subscribe("topic", (payload, from) => void received.push(`two: ${text(payload)} from ${from}`));
      three.messaging.subscribe("topic", (payload, from) => void received.push(`three: ${text(payload)} from ${from}`));
      one.messaging.subscribe("topic", () => void received.push("one"));
      two.messaging.subscribe("other", () => void received.push("other"));
      await expect
        .poll(() => {
          one.messaging.publish("topic", bytes("hello"));
          return new Set(received).size;
        })
        .toBe(2);
      expect(new Set(received)).toEqual(new Set(["two: hello from n1", "three: hello from n1"]));
      end();
      one.messaging.publish("topic", bytes("again"));
      await expect.poll(() => received).toContain("three: again from n1");
      expect(received).not.toContain("two: again from n1");
    });

    check("messages of 200 KB reach the other nodes complete", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      const received: string[] = [];
      two.messaging.subscribe("long", (payload) => void received.push(text(payload) as string));
      two.messaging.subscribe("other", () => void received.push("other"));
      const long = "ä".repeat(100_000);
      await expect
        .poll(() => {
          one.messaging.publish("long", bytes(long));
          return received.length;
        })
        .toBeGreaterThan(0);
      expect(new Set(received)).toEqual(new Set([long]));
    });
  },
  { isSlow: true },
);

onEveryStore(
  "requests between nodes",
  ({ check }) => {
    check("reach the nodes they name, and each response has the name of its node", async ({ nodes, expect }) => {
      const [one, two, three] = (await nodes(3)) as [Cluster, Cluster, Cluster];
      for (const node of [one, two, three]) node.messaging.respond("greet", (payload, from) => bytes(`${text(payload)} ${from}, this is ${node.node}`));
      const request = async (to: readonly string[]): Promise<unknown> => {
        const { responses, failed } = await one.messaging.request("greet", bytes("hello"), { to, timeoutMs: 60_000, maxBytes: 1_000 });
        return [[...responses].map(([node, content]) => `${node}: ${text(content)}`).sort(), [...failed]];
      };
      await expect.poll(() => request(["n2", "n3"])).toEqual([["n2: hello n1, this is n2", "n3: hello n1, this is n3"], []]);
      expect(await request(["n3"])).toEqual([["n3: hello n1, this is n3"], []]);
      expect(await request([])).toEqual([[], []]);
    });

    check("list the nodes that fail, do not respond, have no responder, or exceed the size limit", async ({ nodes, expect }) => {
      const [one, two, three, four] = (await nodes(4)) as [Cluster, Cluster, Cluster, Cluster];
      two.messaging.respond("work", async () => Promise.reject(new Error("cannot work")));
      three.messaging.respond("work", () => new Promise(() => undefined));
      four.messaging.respond("work", () => bytes("x".repeat(101)));
      const request = async (topic: string, timeoutMs = 60_000): Promise<unknown> => {
        const { responses, failed } = await one.messaging.request(topic, bytes(""), { to: ["n2", "n3", "n4"], timeoutMs, maxBytes: 100 });
        return [responses.size, Object.fromEntries([...failed])];
      };
      // Waits longer each time, because a busy node may not respond in time either.
      let timeoutMs = 200;
      await expect
        .poll(() => request("work", (timeoutMs *= 2)))
        .toEqual([0, { n2: "cannot work", n3: "did not respond in time", n4: "sent a response of 101 bytes; the limit is 100" }]);
      const end = two.messaging.respond("other", () => bytes("here"));
      expect(await request("other")).toMatchObject([1, { n3: "does not respond to 'other'" }]);
      end();
      expect(await request("other")).toMatchObject([0, { n2: "does not respond to 'other'" }]);
    });

    check("end at their time limit when a node has left", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      two.messaging.respond("greet", () => bytes("hello"));
      await two.close();
      const { responses, failed } = await one.messaging.request("greet", bytes(""), { to: ["n2", "never there"], timeoutMs: 500, maxBytes: 100 });
      expect([responses.size, new Set(failed.keys())]).toEqual([0, new Set(["n2", "never there"])]);
    });

    check("carry several megabytes in both directions, also concurrently", async ({ nodes, expect }) => {
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      two.messaging.respond("reverse", (payload) => payload.toReversed());
      const options = { to: ["n2"], timeoutMs: 240_000, maxBytes: 8 * 1024 ** 2 };
      await expect.poll(async () => (await one.messaging.request("reverse", bytes("ab"), options)).responses.size).toBe(1);
      const pattern = Uint8Array.from({ length: 251 }, (_, index) => (index * 7) % 251);
      const contents = [0, 1, 2, 3].map((seed) => Buffer.alloc(3 * 1024 ** 2 + seed, pattern.subarray(seed)));
      const all = await Promise.all(contents.map((content) => one.messaging.request("reverse", content, options)));
      for (const [index, { responses }] of all.entries())
        expect(Buffer.compare(responses.get("n2") ?? bytes(""), (contents[index] as Uint8Array).toReversed())).toBe(0);
      await expect(one.messaging.request("reverse", new Uint8Array(17 * 1024 ** 2), options)).rejects.toMatchObject({ kind: "too-large" });
    });
  },
  { isSlow: true },
);

describe("NATS", () => {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await serverFor("nats", { own: true, isDurable: false });
  });
  afterAll(() => server?.end());
  const opener = (replicas: number) => nodeOpener((cluster) => `nats://${server?.host}:${server?.port}/${cluster}`, replicas);

  it("reports at once that a node is not connected (needs NATS)", async ({ skip, expect }) => {
    if (server === undefined) return skip();
    const [one, two] = [await opener(1)("left", "n1"), await opener(1)("left", "node/2")];
    await two.close();
    // The server may still deliver to the closed connection for a moment; such a request ends with another reason.
    const failures = async (): Promise<unknown> => [
      ...(await one.messaging.request("greet", bytes(""), { to: ["node/2"], timeoutMs: 5_000, maxBytes: 100 })).failed,
    ];
    await expect.poll(failures).toEqual([["node/2", "is not connected"]]);
    await one.close();
  });

  it("with fewer servers than replicas is a configuration error (needs NATS)", async ({ skip, expect }) => {
    if (server === undefined) return skip();
    await expect(opener(3)("few", "n1")).rejects.toMatchObject({
      name: "ClusterError",
      kind: "misconfigured",
      message: expect.stringContaining("SERVICE_CLUSTER_REPLICAS"),
    });
  });
});
