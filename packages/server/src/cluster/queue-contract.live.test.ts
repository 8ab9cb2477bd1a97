// The contract of queues, for every store of a cluster.
import { randomUUID } from "node:crypto";
import type { Cluster, QueueDelivery } from "@sluice/engine";
import { onEveryStore } from "./contract-stores.test-support.ts";
import { bodyOf, content, queueTest } from "./queue-test.test-support.ts";

onEveryStore(
  "queues",
  ({ check }) => {
    check(
      "counts the unsettled messages of each queue, with and without a key, but no delayed ones",
      async (context) => {
        const { expect, nodes, put, consume, depth } = queueTest(context);
        const [one, two] = (await nodes(2)) as [Cluster, Cluster];
        for (const key of [undefined, undefined, "a", "b"]) await put(one, "message", key === undefined ? {} : { key });
        await put(one, "later", { delayMs: 60_000 });
        for (const cluster of [one, two]) await expect.poll(() => depth(cluster)).toBe(4);
        const deliveries: QueueDelivery[] = [];
        consume(two, (delivery) => void deliveries.push(delivery));
        await expect.poll(() => deliveries.length).toBeGreaterThanOrEqual(2);
        expect(await depth(one)).toBe(4);
        void deliveries[0]?.done();
        await expect.poll(() => depth(one)).toBe(3);
        for (const delivery of deliveries) void delivery.done();
      },
      { clusterOnly: "several nodes at a time" },
    );

    check(
      "a queue delivers each message to one of the nodes, with its contents",
      async (context) => {
        const { expect, nodes, put, consume, depth } = queueTest(context);
        const [one, two] = (await nodes(2)) as [Cluster, Cluster];
        const received: string[] = [];
        const receivers = new Set<string>();
        const receive =
          (name: string) =>
          (delivery: QueueDelivery): void => {
            expect([delivery.message.kind, delivery.message.envelope, delivery.attempt, delivery.key]).toEqual(["text", '{"own":{"name":"ä"}}', 1, undefined]);
            received.push(bodyOf(delivery));
            receivers.add(name);
            setImmediate(() => void delivery.done());
          };
        consume(one, receive("one"), { concurrency: 2 });
        consume(two, receive("two"), { concurrency: 2 });
        let count = 0;
        const putSome = (amount: number) => Promise.all(Array.from({ length: amount }, () => put(++count % 2 === 0 ? one : two, `m${count}`)));
        for (let batch = 0; batch < 6; batch++) await putSome(50);
        // A node may need some time until it takes its first message.
        await expect
          .poll(async () => {
            await putSome(5);
            return receivers;
          })
          .toEqual(new Set(["one", "two"]));
        await expect.poll(() => new Set(received).size).toBe(count);
        // What is not stored is not delivered again.
        await expect.poll(() => depth(one)).toBe(0);
        expect(received.length).toBe(count);
      },
      { clusterOnly: "several nodes at a time" },
    );

    check("messages that were put before there is a consumer are delivered in order", async (context) => {
      const { expect, nodes, put, consume } = queueTest(context);
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      for (let index = 0; index < 20; index++) await put(one, `m${index}`);
      await one.close();
      const received: string[] = [];
      consume(
        two,
        (delivery) => {
          received.push(bodyOf(delivery));
          void delivery.done();
        },
        { concurrency: 1 },
      );
      await expect.poll(() => received.length).toBe(20);
      expect(received).toEqual(Array.from({ length: 20 }, (_, index) => `m${index}`));
    });

    check(
      "a put that is repeated with the same id stores the message once",
      async (context) => {
        const { expect, nodes, queue, put, consume, depth } = queueTest(context);
        const [one] = await nodes(1);
        const received: string[] = [];
        for (const id of ["a", "b", "a", "b", "c"]) await put(one, id, { id: `${queue} ${id}` });
        consume(one, (delivery) => {
          received.push(delivery.id);
          void delivery.done();
        });
        await put(one, "last", { id: `${queue} last` });
        await expect.poll(() => received).toContain(`${queue} last`);
        await expect.poll(() => depth(one)).toBe(0);
        expect(received.toSorted()).toEqual(["a", "b", "c", "last"].map((id) => `${queue} ${id}`));
      },
      { clusterOnly: "the store assigns the id, and a put is never repeated" },
    );

    check("a node has at most as many unsettled messages as it requested", async (context) => {
      const { expect, nodes, queue, put, serveAnother } = queueTest(context);
      const [one] = await nodes(1);
      const held: QueueDelivery[] = [];
      for (let index = 0; index < 10; index++) await put(one, `m${index}`);
      let limit = 3;
      const consumption = one.queues.consume(queue, {
        concurrency: () => limit,
        keyToken: () => undefined,
        deliver: (delivery) => void held.push(delivery),
      });
      await expect.poll(() => held.length).toBe(3);
      await serveAnother(one);
      expect(held.length).toBe(3);
      void held[0]?.done();
      void held[0]?.done();
      await expect.poll(() => held.length).toBe(4);
      limit = 5;
      consumption.refresh();
      await expect.poll(() => held.length).toBe(6);
      await serveAnother(one);
      expect(held.length).toBe(6);
    });

    check(
      "a message is delivered after its delay, and others do not wait for it",
      async (context) => {
        const { expect, nodes, put, consume } = queueTest(context);
        const [one] = await nodes(1);
        const received: string[] = [];
        consume(one, (delivery) => {
          received.push(bodyOf(delivery));
          void delivery.done();
        });
        await put(one, "late", { delayMs: 3_600_000 });
        await put(one, "soon", { delayMs: 500 });
        await put(one, "now");
        await expect.poll(() => received.toSorted()).toEqual(["now", "soon"]);
      },
      { waits: true },
    );

    check(
      "a failed message is delivered again after its delay with a higher attempt number; a requeued one keeps its number",
      async (context) => {
        const { expect, nodes, put, consume, depth } = queueTest(context);
        const [one] = await nodes(1);
        const received: string[] = [];
        consume(one, (delivery) => {
          received.push(`${bodyOf(delivery)} ${delivery.attempt}`);
          if (bodyOf(delivery) === "back") return received.filter((line) => line === "back 1").length < 3 ? delivery.requeue() : void delivery.done();
          if (bodyOf(delivery) === "waits") {
            delivery.retry(3_600_000);
            return void put(one, "meanwhile");
          }
          if (bodyOf(delivery) !== "fails" || delivery.attempt === 3) return void delivery.done();
          delivery.retry(delivery.attempt === 1 ? 500 : 0);
        });
        await put(one, "fails");
        await put(one, "back");
        await expect.poll(() => received).toContain("fails 3");
        await expect.poll(() => depth(one)).toBe(0);
        expect(received.filter((line) => line.startsWith("fails"))).toEqual(["fails 1", "fails 2", "fails 3"]);
        expect(received.filter((line) => line.startsWith("back"))).toEqual(["back 1", "back 1", "back 1"]);
        received.length = 0;
        await put(one, "waits");
        await expect.poll(() => received).toEqual(["waits 1", "meanwhile 1"]);
      },
      { waits: true },
    );

    check(
      "a message of a node that dies is delivered to another node; a slow node keeps its messages",
      async (context) => {
        const { expect, nodes, put, consume, leaseEnded } = queueTest(context);
        const [one, two] = (await nodes(2)) as [Cluster, Cluster];
        const slow: QueueDelivery[] = [];
        consume(one, (delivery) => void slow.push(delivery), { concurrency: 2 });
        await put(one, "a");
        await put(one, "b");
        await expect.poll(() => slow.length).toBe(2);
        const received: string[] = [];
        consume(two, (delivery) => {
          received.push(`${bodyOf(delivery)} ${delivery.attempt}`);
          void delivery.done();
        });
        await leaseEnded(two);
        expect(received).toEqual([]);
        await one.close();
        await expect.poll(() => received.toSorted()).toEqual(["a 2", "b 2"]);
      },
      { clusterOnly: "several nodes at a time", waits: true },
    );

    check(
      "a node that begins to consume a queue exclusively gets all messages in order, including those that the previous node did not settle",
      async (context) => {
        const { expect, nodes, queue, put, depth, leaseEnded } = queueTest(context);
        const [one, two] = (await nodes(2)) as [Cluster, Cluster];
        const tokens: (number | undefined)[] = [1, undefined];
        const held: QueueDelivery[][] = [[], []];
        const consumptions = [one, two].map((cluster, index) =>
          cluster.queues.consume(queue, {
            isExclusive: true,
            concurrency: () => (tokens[index] === undefined ? 0 : 100),
            keyToken: () => tokens[index],
            deliver: (delivery) => void held[index]?.push(delivery),
          }),
        );
        const putNext = async (body: string): Promise<void> => {
          const id = randomUUID();
          await put(one, body, { id, key: id });
        };
        const bodies = (index: number): readonly string[] => (held[index] as QueueDelivery[]).map(bodyOf);
        for (const body of ["a", "b", "c"]) await putNext(body);
        await expect.poll(() => bodies(0)).toEqual(["a", "b", "c"]);
        await held[0]?.[1]?.done();
        expect(await depth(one)).toBe(2);
        await leaseEnded(two);
        expect(bodies(1)).toEqual([]);
        tokens[0] = undefined;
        tokens[1] = 2;
        for (const consumption of consumptions) consumption.refresh();
        await putNext("d");
        await expect.poll(() => bodies(1)).toEqual(["a", "c", "d"]);
        // The previous node may still remove a message; requeueing one has no effect.
        held[0]?.[0]?.requeue();
        await held[0]?.[2]?.done();
        await Promise.all((held[1] as QueueDelivery[]).map((delivery) => delivery.done()));
        // What is not stored is not delivered again.
        await expect.poll(() => depth(two)).toBe(0);
        expect([bodies(0), bodies(1)]).toEqual([
          ["a", "b", "c"],
          ["a", "c", "d"],
        ]);
      },
      { clusterOnly: "several nodes at a time", waits: true },
    );

    check("stopping a consumption resolves when its messages are settled, and no more messages are delivered", async (context) => {
      const { expect, nodes, put, consume, serveAnother } = queueTest(context);
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      const held: QueueDelivery[] = [];
      for (let index = 0; index < 6; index++) await put(one, `m${index}`);
      const consumption = consume(one, (delivery) => void held.push(delivery), { concurrency: 2 });
      await expect.poll(() => held.length).toBe(2);
      let isStopped = false;
      const stopping = consumption.stop().then(() => (isStopped = true));
      await serveAnother(one);
      expect(isStopped).toBe(false);
      void held[0]?.done();
      held[1]?.requeue();
      await stopping;
      const received: string[] = [];
      consume(two, (delivery) => {
        received.push(`${bodyOf(delivery)} ${delivery.attempt}`);
        void delivery.done();
      });
      await expect.poll(() => received.length).toBe(5);
      expect(received.toSorted()).toEqual(["m1 1", "m2 1", "m3 1", "m4 1", "m5 1"]);
      expect(held.length).toBe(2);
    });

    check(
      "messages with the same key run one at a time and in order, even after failures and when another node takes over",
      async (context) => {
        const { expect, nodes, put, consume } = queueTest(context);
        const [one, two] = (await nodes(2)) as [Cluster, Cluster];
        const completed = new Map<string, string[]>();
        /** The node that runs a message of the key. */
        const running = new Map<string, number>();
        const overlaps: string[] = [];
        const attempts: string[] = [];
        let owner = 1;
        let total = 0;
        const receive =
          (node: number) =>
          (delivery: QueueDelivery): void => {
            const { key = "", attempt } = delivery;
            // Work of a dead node is not part of the order.
            const at = running.get(key);
            if (at !== undefined && (at === 2 || owner === 1)) overlaps.push(`${key} ${bodyOf(delivery)}`);
            running.set(key, node);
            attempts.push(`${key} ${bodyOf(delivery)} ${attempt}`);
            setImmediate(() => {
              if (node === 1 && owner === 2) return;
              running.delete(key);
              if (bodyOf(delivery) === "7" && attempt < 3) return delivery.retry(30);
              completed.set(key, [...(completed.get(key) ?? []), bodyOf(delivery)]);
              total++;
              void delivery.done();
            });
          };
        const consumptions = [one, two].map((cluster, index) =>
          consume(cluster, receive(index + 1), { concurrency: 4, keyToken: () => (owner === index + 1 ? owner : undefined) }),
        );
        const keys = ["a", "b", "c", "d", "e ä"];
        for (let index = 0; index < 10; index++) for (const key of keys) await put(index % 2 === 0 ? one : two, String(index), { key });
        await expect.poll(() => total).toBe(50);
        for (let index = 10; index < 30; index++) for (const key of keys) await put(two, String(index), { key });
        await expect.poll(() => total).toBeGreaterThan(60);
        owner = 2;
        await one.close();
        consumptions[1]?.refresh();
        await expect.poll(() => Math.min(...keys.map((key) => new Set(completed.get(key)).size))).toBe(30);
        expect(overlaps).toEqual([]);
        // A message whose deletion was in progress when its node died may run twice: the first runs are in order.
        for (const key of keys) expect([...new Set(completed.get(key))]).toEqual(Array.from({ length: 30 }, (_, index) => String(index)));
        for (const key of keys) expect(attempts.filter((line) => line.startsWith(`${key} 7 `))).toEqual([`${key} 7 1`, `${key} 7 2`, `${key} 7 3`]);
      },
      { clusterOnly: "several nodes at a time" },
    );

    check("attempts of a message with a key are counted across nodes, and it blocks its key until it is settled", async (context) => {
      const { expect, nodes, put, consume } = queueTest(context);
      const [one, two] = (await nodes(2)) as [Cluster, Cluster];
      const received: string[] = [];
      await put(one, "first", { key: "k" });
      await put(one, "second", { key: "k" });
      let owner = 1;
      consume(
        one,
        (delivery) => {
          received.push(`one ${bodyOf(delivery)} ${delivery.attempt}`);
          if (delivery.attempt < 3) delivery.retry(10);
        },
        { keyToken: () => (owner === 1 ? 1 : undefined) },
      );
      await expect.poll(() => received.at(-1)).toBe("one first 3");
      await one.close();
      owner = 2;
      consume(
        two,
        (delivery) => {
          received.push(`two ${bodyOf(delivery)} ${delivery.attempt}`);
          void delivery.done();
        },
        { keyToken: () => 2 },
      );
      await expect.poll(() => received.at(-1)).toBe("two second 1");
      expect(received.slice(0, 3)).toEqual(["one first 1", "one first 2", "one first 3"]);
      expect(received[3]).toMatch(/^two first [34]$/);
      expect(received.length).toBe(5);
    });

    check("stores a message of 500 kB", async (context) => {
      const { expect, nodes, put, consume } = queueTest(context);
      const [one] = await nodes(1);
      await put(one, "x".repeat(500_000));
      const received: number[] = [];
      consume(one, (delivery) => {
        received.push(delivery.message.body.length);
        void delivery.done();
      });
      await expect.poll(() => received).toEqual([500_000]);
    });
  },
  { isShared: true, isSlow: true, isEmbedded: true },
);

onEveryStore(
  "full queues",
  ({ check }) => {
    check("reject a message at once, and their messages can be retried and settled", async ({ nodes, expect }) => {
      const [one] = await nodes(1);
      const put = (): Promise<void> => one.queues.put("work", content("x".repeat(225_000)), { id: randomUUID(), key: undefined, delayMs: 0 });
      let stored = 0;
      let failure: unknown;
      while (failure === undefined)
        await put().then(
          () => stored++,
          (error: unknown) => (failure = error),
        );
      // An operation that is retried would fail with another kind of error.
      const { kind, code } = failure as { readonly kind?: string; readonly code?: string };
      expect(kind ?? code).toMatch(/^(full|queue-full)$/);
      expect(stored).toBeGreaterThan(50);
      const attempts: number[] = [];
      const settled = new Set<string>();
      const consumption = one.queues.consume("work", {
        concurrency: () => 10,
        keyToken: () => undefined,
        deliver(delivery) {
          if (attempts.push(delivery.attempt) <= 10) return delivery.retry(0);
          void delivery.done();
          settled.add(delivery.id);
        },
      });
      await expect.poll(() => settled.size).toBe(stored);
      expect(attempts.filter((attempt) => attempt === 2)).toHaveLength(10);
      await put();
      await expect.poll(() => settled.size).toBe(stored + 1);
      await consumption.stop();
    });
  },
  { isSlow: true, isEmbedded: true, isLimited: true },
);
