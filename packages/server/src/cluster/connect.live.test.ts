import { expect, it, onTestFinished, vi } from "vitest";
import { readClusterTarget } from "./cluster-target.ts";
import { connect } from "./connect.ts";

it("a node that starts tries to reach its store for 30 s, says so once, and then reports why it cannot", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const log = { write: (_level: string, _logger: string, message: string) => void lines.push(message), enabled: () => true };
  const settings = { clusterReplicas: 1, versions: 1, clusterTtl: 5_000, queueBytes: 1_000_000, deadLetterBytes: 1_000_000 };
  let failure: unknown;
  const connecting = connect(readClusterTarget("nats://127.0.0.1:9/demo"), { settings, log, node: "n", boot: "b" } as never).catch(
    (error: unknown) => (failure = error),
  );
  await expect.poll(() => lines).toEqual(["Cannot connect to the store of cluster 'demo': connection refused; retrying"]);
  vi.advanceTimersByTime(30_000);
  expect(failure).toBeUndefined();
  vi.advanceTimersByTime(1);
  await connecting;
  expect(String(failure)).toContain("SERVICE_CLUSTER: cannot join the cluster 'demo': connection refused");
  expect(lines).toHaveLength(1);
});
