// Periods use the monotonic clock, and a suspended process causes no burst; tested with a real process.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { eventually, sleep } from "../started-server.ts";
import { unexpectedOutput } from "../unexpected-output.ts";

const timer = "- route:\n    id: beat\n    from:\n      uri: timer:beat?period=200&delay=0\n      steps:\n        - log: beat-beat\n";
const cron = "- route:\n    id: minute\n    from:\n      uri: quartz:minute?cron=0/2+*+*+*+*+?\n      steps:\n        - log: cron-tick\n";
const count = (server: SpawnedServer, word: string): number => server.output().split(word).length - 1;

it("a suspended process continues without a burst", async () => {
  const server = await spawnServer();
  try {
    expect((await server.putFlow("beat", timer)).status).toBe(201);
    await eventually(() => count(server, "beat-beat") >= 5, 20_000);
    process.kill(server.pid, "SIGSTOP");
    await sleep(120_000);
    const before = count(server, "beat-beat");
    process.kill(server.pid, "SIGCONT");
    await sleep(1_000);
    const burst = count(server, "beat-beat") - before;
    expect(burst).toBeGreaterThan(0);
    expect(burst).toBeLessThanOrEqual(8);
    expect(server.output()).not.toMatch(unexpectedOutput);
  } finally {
    process.kill(server.pid, "SIGCONT");
    await server.end("SIGKILL");
    server.clean();
  }
});

it.each([
  ["one hour forward", 3_600_000],
  ["one hour back", -3_600_000],
])("the wall clock jumps %s: periods continue, and each scheduled time fires at most once", async (_name, shift) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-clock-"));
  const shim = join(folder, "shift.cjs");
  // Changes only the process's view of the wall clock, on request; the monotonic clock is unaffected.
  writeFileSync(shim, `const real = Date.now; process.on("SIGUSR2", () => { Date.now = () => real() + ${shift}; console.log("clock-moved"); });`);
  const server = await spawnServer({ env: { NODE_OPTIONS: `--require ${shim}` } });
  try {
    expect((await server.putFlow("beat", timer)).status).toBe(201);
    const scheduled = await server.putFlow("minute", cron);
    expect([scheduled.status, scheduled.json?.error]).toEqual([201, undefined]);
    await eventually(() => count(server, "cron-tick") >= 1);
    process.kill(server.pid, "SIGUSR2");
    await eventually(() => count(server, "clock-moved") === 1);
    const before = { beats: count(server, "beat-beat"), ticks: count(server, "cron-tick") };
    await sleep(8_000);
    const beats = count(server, "beat-beat") - before.beats;
    expect(beats).toBeGreaterThanOrEqual(20);
    expect(beats).toBeLessThanOrEqual(45);
    // When the clock is set forward, the missed hour causes one tick. When it is set back, scheduled times that already fired do not fire again.
    const ticks = count(server, "cron-tick") - before.ticks;
    if (shift > 0) expect(ticks).toBeGreaterThanOrEqual(2);
    expect(ticks).toBeLessThanOrEqual(shift > 0 ? 6 : 1);
  } finally {
    await server.end("SIGKILL");
    server.clean();
  }
});
