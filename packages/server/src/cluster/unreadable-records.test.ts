// Records that were written by a node with another SERVICE_CLUSTER_KEY.
import { randomBytes } from "node:crypto";
import { FlowError, type Cluster } from "@sluice/engine";
import { describe, expect, it } from "vitest";
import { GroupLog, type CompletedGroup } from "./group-log.ts";
import { memoryCluster } from "./memory-cluster.test-support.ts";
import { createRecordCipher, type RecordCipher } from "./record-cipher.ts";
import { SharedSagas } from "./shared-sagas.ts";

const newCipher = (): RecordCipher => createRecordCipher(randomBytes(32).toString("base64"), undefined);
const recordingLog = () => {
  const lines: string[] = [];
  return { lines, enabled: () => true, write: (level: string, logger: string, text: string) => void lines.push(`${level} ${logger} ${text}`) };
};

const nodes = (): readonly [Cluster, Cluster] => {
  const node = memoryCluster();
  return [node("n1"), node("n2")];
};

describe("records with an unknown key", () => {
  it("are skipped by the groups of aggregates, and logged", async () => {
    const [one, two] = nodes();
    const group = (boot: string): CompletedGroup => ({ queue: "q", token: 1, boot, key: "k", by: "size", ids: ["a"], repeated: 0 });
    const other = new GroupLog(one, newCipher(), recordingLog(), () => undefined);
    await other.open();
    await other.write("before", group(one.boot));
    const log = recordingLog();
    const groups = new GroupLog(two, newCipher(), log, () => undefined);
    await groups.open();
    await expect(groups.begin("q", 1)).resolves.toBe(true);
    await expect(groups.write("own", group("n2"))).resolves.toBe(true);
    await other.write("after", group(one.boot));
    await expect.poll(() => log.lines).toHaveLength(2);
    for (const [index, id] of ["before", "after"].entries())
      expect(log.lines[index]).toMatch(new RegExp(`^ERROR sluice.cluster Cannot read the group '${id}' of an aggregate: .* SERVICE_CLUSTER_KEY `));
    expect(groups.ofQueue("q").map(([id]) => id)).toEqual(["own"]);
    groups.close();
    other.close();
  });

  it("are skipped by sagas, and logged", async () => {
    const [one, two] = nodes();
    const log = recordingLog();
    const step = { flowId: "f", routeId: "r", stepId: "s" };
    const sagasOf = (cluster: typeof one, ownLog = recordingLog()): SharedSagas =>
      new SharedSagas({ cluster, cipher: newCipher(), log: ownLog, isDead: () => false, holds: () => true });
    const [other, sagas] = [sagasOf(one), sagasOf(two, log)];
    const write = (store: SharedSagas, id: string): Promise<void> => store.write({ id, flowId: "f", outcome: undefined, participants: [] });
    await write(other, "before");
    const unregister = sagas.register(step, () => Promise.reject(new FlowError("java.lang.Error", "not called")));
    await expect.poll(() => log.lines).toHaveLength(1);
    await write(sagas, "own");
    await write(other, "after");
    await expect.poll(() => log.lines).toHaveLength(2);
    for (const [index, id] of ["before", "after"].entries())
      expect(log.lines[index]).toMatch(new RegExp(`^ERROR saga Cannot read the saga '${id}': .* SERVICE_CLUSTER_KEY `));
    unregister();
    for (const each of [other, sagas]) each.close();
  });
});
