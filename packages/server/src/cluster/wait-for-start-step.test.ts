import type { Log } from "@sluice/engine";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryCluster } from "./memory-cluster.test-support.ts";
import { Session } from "./session.ts";
import { waitForStartStep } from "./wait-for-start-step.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a step of the start", () => {
  it("that succeeds or fails in time is not logged", async () => {
    const lines: string[] = [];
    expect(await waitForStartStep(logTo(lines), "an answer", Promise.resolve(7))).toBe(7);
    await expect(waitForStartStep(logTo(lines), "an answer", Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(lines).toEqual([]);
  });

  it("that does not end is logged every 5 s and rejected after 60 s", async () => {
    const lines: string[] = [];
    const outcome = waitForStartStep(logTo(lines), "the configuration", new Promise(() => undefined)).catch((error: unknown) => (error as Error).message);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(lines).toEqual(Array.from({ length: 11 }, (_, index) => `Starting: still waiting for the configuration after ${5 * (index + 1)} s`));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await outcome).toBe("SERVICE_CLUSTER: cannot join the cluster: still waiting for the configuration after 60 s: check that the store is healthy");
    expect(lines).toHaveLength(11);
  });
});

describe("sessions of ended processes", () => {
  it("with the name of a node are removed when it starts, so that later starts do not wait for them", async () => {
    const store = memoryCluster();
    const lines: string[] = [];
    const cluster = store("n1");
    const heartbeatOf = (boot: string) => ({ node: "n1", boot, version: "0", startedAt: "", isReady: false, applied: 0, slots: [], behind: [] });
    // The data directory lists the first; the process of the second was killed before it could write its file.
    for (const boot of ["listed", "unknown"]) await cluster.records.write("nodes", boot, Buffer.from(JSON.stringify(heartbeatOf(boot))));
    const session = new Session({ cluster, log: logTo(lines), ttlMs: 300, heartbeat: () => heartbeatOf(cluster.boot), expired: () => undefined });
    let isOpen = false;
    const opening = session.open(["listed"]).then(() => (isOpen = true));
    await vi.advanceTimersByTimeAsync(299);
    expect(isOpen).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await opening;
    expect(lines).toEqual(["A node named 'n1' is already in the cluster; waiting 0 s for it to expire"]);
    const boots = await new Promise<readonly string[]>((resolve) => {
      const found: string[] = [];
      store("other").records.watch(
        "nodes",
        ({ id }) => void found.push(id),
        () => resolve(found),
      );
    });
    expect(boots).toEqual([cluster.boot]);
    await session.close();
  });
});

const logTo = (lines: string[]): Log => ({ write: (_level: string, _logger: string, text: string) => void lines.push(text) }) as unknown as Log;
