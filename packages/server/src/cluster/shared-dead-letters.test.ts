import { expect, it } from "vitest";
import { createIds } from "../host/ulid.ts";
import { memoryCluster } from "./memory-cluster.test-support.ts";
import { createRecordCipher } from "./record-cipher.ts";
import { SharedDeadLetters } from "./shared-dead-letters.ts";

it("dead letters stay within their limit even if no node has opened the index", async () => {
  const node = memoryCluster();
  const [one, two] = [node("n1"), node("n2")];
  const deadLettersOf = (cluster: typeof one): SharedDeadLetters =>
    new SharedDeadLetters({
      cluster,
      cipher: createRecordCipher(undefined, undefined),
      ids: createIds(() => Date.now()),
      log: { write: () => undefined, enabled: () => false },
      limits: { deadLetters: 5, deadLetterBytes: 1_000_000 },
      isDead: () => false,
    });
  const deadLetters = deadLettersOf(one);
  const failure = { type: "java.io.IOException", message: "failed", stepId: undefined, routeId: undefined };
  const metadata = { route: { id: "r", flowId: "f", flowHash: "h" }, runId: undefined, attempts: 1, failure, source: "queue:work", input: undefined };
  for (let index = 0; index < 12; index++) await deadLetters.add({ kind: "text", envelope: "{}", body: Buffer.from(String(index)) }, metadata);
  const reader = deadLettersOf(two);
  await reader.open();
  await expect.poll(() => reader.count).toBeLessThanOrEqual(5);
  const newest = reader.list({}, 1).letters[0];
  expect(Buffer.from((await reader.find(newest?.id ?? ""))?.message.body ?? []).toString()).toBe("11");
  deadLetters.close();
  reader.close();
});
