// A small file system is filled and freed under load, with crashes in between. Needs root for the mount.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CountingPartner, durableFlow } from "../durable-partner.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, eventually, sleep } from "../started-server.ts";
import { unexpectedOutput } from "../unexpected-output.ts";

const rounds = Number(process.env["SLUICE_ROUNDS"] ?? 50);
const consumers = 4;
/** Number of rounds between kills on a full disk; the process is restarted before there is space. */
const killEvery = 10;
/** The space that the store reserves for finishing messages: it accepts new messages only while more than this is free. */
const reserved = 512 * 1024;

class SmallDisk {
  readonly directory = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  /** The maximum free space since it was last reset. */
  maxFree = 0;
  #filling: NodeJS.Timeout | undefined;

  constructor(size: string) {
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", this.directory]).status).toBe(0);
  }

  get freeSpace(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }

  /** Fills the disk and keeps it full until `free` is called. */
  fill(): void {
    this.maxFree = Math.max(this.maxFree, this.freeSpace);
    for (const size of [65_536, 4_096])
      try {
        for (;;) writeFileSync(join(this.directory, "ballast"), Buffer.alloc(size), { flag: "a" });
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
      }
    this.#filling ??= setInterval(() => this.fill(), 10);
  }

  free(): void {
    clearInterval(this.#filling);
    this.#filling = undefined;
    truncateSync(join(this.directory, "ballast"), 0);
  }

  unmount(): void {
    clearInterval(this.#filling);
    spawnSync("umount", ["-l", this.directory]);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Sends messages one after another until stopped; records which were accepted. */
class Load {
  readonly accepted = new Set<string>();
  rejected = 0;
  #stopped = false;
  readonly #clients: Promise<void>[];

  constructor(baseUrl: () => string, clients: number) {
    this.#clients = Array.from({ length: clients }, (_, client) => this.#send(baseUrl, client));
  }

  async #send(baseUrl: () => string, client: number): Promise<void> {
    for (let index = 0; !this.#stopped; index++) {
      const id = `${client}-${index}`;
      const status = await call(baseUrl(), "POST", "/api/in", `${id} ${"x".repeat(20_000)}`).then(
        (reply) => reply.status,
        () => 0,
      );
      if (status === 202) this.accepted.add(id);
      else this.rejected++;
      await sleep(status === 202 ? 5 : 25);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }
}

/**
 * The time from each `freed` until the store could write again, in milliseconds. Taken from the log of the process, because times measured by a client
 * depend on the load of the machine.
 */
function recoveriesOf(server: SpawnedServer, freed: readonly number[]): readonly number[] {
  const changes = server
    .output()
    .split("\n")
    .filter((line) => line.includes('"sluice.store"'))
    .map((line) => JSON.parse(line) as { readonly time: string; readonly level: string; readonly message: string })
    .filter(({ message }) => /cannot write|Cannot use|writable again|accepts writes again/.test(message))
    .map(({ time, level }) => ({ time: Date.parse(time), isFailing: level === "ERROR" }));
  return freed.map((freedAt) => {
    if (changes.findLast(({ time }) => time <= freedAt)?.isFailing !== true) return 0;
    return (changes.find(({ time, isFailing }) => time > freedAt && !isFailing)?.time ?? Infinity) - freedAt;
  });
}

const statusOf = async (server: SpawnedServer): Promise<string> => (await call(server.baseUrl, "GET", "/_api/health")).json.status;

it.skipIf(process.getuid?.() !== 0)(
  `${rounds} rounds of a full and a free disk under load lose nothing, redeliver only in-flight messages, and report correct health throughout (needs root)`,
  async () => {
    const disk = new SmallDisk("12m");
    const partner = new CountingPartner();
    const url = await partner.start(2);
    const env = { SERVICE_EGRESS_ALLOW_PRIVATE: "true" };
    let server = await spawnServer({ env, dataDir: disk.directory });
    const load = new Load(() => server.baseUrl, 4);
    const wrongStatuses: string[] = [];
    const recoveries: number[] = [];
    const replies: number[] = [];
    let freedAt: number[] = [];
    let [samples, kills, repeatedBefore, maxRepeated] = [0, 0, 0, 0];
    try {
      expect((await server.putFlow("in", durableFlow(url, consumers))).status).toBe(201);
      for (let round = 1; round <= rounds; round++) {
        disk.fill();
        for (const end = Date.now() + 400; Date.now() < end; samples++) {
          const before = (disk.maxFree = disk.freeSpace);
          const status = await statusOf(server);
          // The store itself may free space with a checkpoint; while there is space, UP is correct.
          if (status !== "DEGRADED" && Math.max(disk.maxFree, disk.freeSpace) < reserved)
            wrongStatuses.push(`round ${round}: ${status} with ${before} bytes free`);
          await sleep(10);
        }
        if (round % killEvery === 0) {
          recoveries.push(...recoveriesOf(server, freedAt));
          freedAt = [];
          await server.end("SIGKILL");
          kills++;
          server = await spawnServer({ env, dataDir: disk.directory });
          expect(await statusOf(server)).toBe("DEGRADED");
        }
        disk.free();
        const freed = Date.now();
        const hasRecovered = async (): Promise<boolean> =>
          (await statusOf(server)) === "UP" && (await call(server.baseUrl, "POST", "/api/in", `probe-${round} x`)).status === 202;
        while (!(await hasRecovered())) {
          expect(Date.now() - freed, `round ${round}`).toBeLessThan(20_000);
          await sleep(10);
        }
        load.accepted.add(`probe-${round}`);
        replies.push(Date.now() - freed);
        freedAt.push(freed);
        for (const end = Date.now() + 300; Date.now() < end; samples++) {
          const status = await statusOf(server);
          if (status !== "UP" && disk.freeSpace > 3 * 1_048_576) wrongStatuses.push(`round ${round}: ${status} with ${disk.freeSpace} bytes free`);
          await sleep(10);
        }
        if (round % killEvery === 0) {
          await eventually(() => Promise.resolve(partner.deliveries.size >= load.accepted.size - 8));
          maxRepeated = Math.max(maxRepeated, partner.repeated - repeatedBefore);
          repeatedBefore = partner.repeated;
        }
      }
      await load.stop();
      await eventually(() => Promise.resolve([...load.accepted].every((id) => partner.deliveries.has(id))));
      const lost = [...load.accepted].filter((id) => !partner.deliveries.has(id));
      recoveries.push(...recoveriesOf(server, freedAt));
      const [slowest, slowestReply] = [recoveries, replies].map((times) => Math.round(Math.max(...times)));
      console.log(
        `full disk: ${JSON.stringify({ rounds, kills, accepted: load.accepted.size, rejected: load.rejected, lost: lost.length, repeated: partner.repeated, maxRepeated, samples, wrongStatuses: wrongStatuses.length, recoveries: recoveries.filter((ms) => ms > 0).length, slowestRecoveryMs: slowest, slowestReplyMs: slowestReply })}`,
      );
      expect(wrongStatuses).toEqual([]);
      expect(load.rejected).toBeGreaterThan(rounds);
      expect(maxRepeated).toBeLessThanOrEqual(3 * consumers);
      expect(partner.repeated).toBeLessThanOrEqual(kills * 3 * consumers);
      expect(slowest).toBeLessThan(1_000);
      expect(server.output()).not.toMatch(unexpectedOutput);
    } finally {
      await load.stop();
      await server.end("SIGKILL");
      partner.stop();
      disk.unmount();
    }
  },
  600_000,
);
