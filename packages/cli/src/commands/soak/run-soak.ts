// `sluice soak`: traffic, deploys and faults side by side for a time, then the books.
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { CommandError, countFlag, isOn, textFlag, type Call } from "../../command/declaration.ts";
import { connect, createConnection, ifFound, type Connection } from "../../runtime/connection.ts";
import { pause } from "../../runtime/pause.ts";
import { timeLimit } from "../../runtime/time-limit.ts";
import { audit, readBooks, type Books } from "./books.ts";
import { flowId, soakFlow, soakRoutes } from "./soak-flow.ts";
import { createCaller, drive, Tally } from "./traffic.ts";

const settleMs = 15_000;

export async function run(call: Call): Promise<number> {
  const { flags, terminal, signal } = call;
  const seconds = countFlag(flags, "for", 30);
  const clients = countFlag(flags, "clients", 8);
  const deployEveryMs = countFlag(flags, "deployEvery", 500);
  const rate = textFlag(flags, "rate") === undefined ? undefined : countFlag(flags, "rate", 1);
  const target = textFlag(flags, "runtime") === undefined ? await openOwn() : { connection: await connect(flags), close: async () => undefined };
  try {
    const tally = new Tally();
    const { connection } = target;
    await install(connection, 0);
    const before = await readBooks(connection);
    const stop = timeLimit(seconds * 1_000, signal);
    const caller = createCaller(connection.baseUrl);
    const began = performance.now();
    const ticking = setInterval(
      () =>
        terminal.progress(
          `${Math.round((performance.now() - began) / 1_000)}/${seconds} s, ${tally.calls} calls, ${tally.deploys} deploys, ${tally.faults.length} faults`,
        ),
      500,
    );
    const pace = createPace(rate);
    await Promise.all([
      deploys(connection, tally, deployEveryMs, stop),
      ...Array.from({ length: clients }, (_, client) => drive(caller, tally, client, stop, pace)),
    ]);
    clearInterval(ticking);
    caller.close();
    terminal.progress("waiting for what is under way");
    const took = (performance.now() - began) / 1_000;
    const after = await settled(connection, tally, before, signal);
    const faults = [...tally.faults, ...audit(tally, before, after)];
    await ifFound(connection.call("DELETE /flows/:id", { params: { id: flowId } }));
    terminal.progress(undefined);
    terminal.write(isOn(flags, "json") ? JSON.stringify({ ...figures(tally, took), faults }, undefined, 2) : text(tally, took, faults));
    return faults.length === 0 ? 0 : 1;
  } finally {
    await target.close();
  }
}

async function install(connection: Connection, version: number): Promise<void> {
  await connection.call("PUT /flows/:id", { params: { id: flowId }, body: { yaml: soakFlow(version) } });
}

async function deploys(connection: Connection, tally: Tally, everyMs: number, signal: AbortSignal): Promise<void> {
  for (let version = 1; !signal.aborted; version++) {
    await pause(everyMs, signal);
    if (signal.aborted) return;
    await install(connection, version).then(
      () => tally.deploys++,
      (error: Error) => tally.fault(`deploy ${version} was refused: ${error.message}`),
    );
  }
}

/** The books once nothing is under way any more, or when time is up. */
async function settled(connection: Connection, tally: Tally, before: Books, signal: AbortSignal): Promise<Books> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const books = await readBooks(connection);
    const rest = soakRoutes.some((route) => books[route].inflight > 0) || books.sink.completed - before.sink.completed < tally.queued;
    if (!rest || signal.aborted || performance.now() > deadline) return books;
    await pause(100, signal);
  }
}

function createPace(rate: number | undefined): () => Promise<void> {
  if (rate === undefined) return async () => undefined;
  let next = performance.now();
  return async () => {
    const at = (next = Math.max(next, performance.now() - 100) + 1_000 / rate);
    const wait = at - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
  };
}

async function openOwn(): Promise<{ readonly connection: Connection; close(): Promise<void> }> {
  const { readConfiguration, startServer } = await import("@sluice/server");
  const directory = await mkdtemp(join(tmpdir(), "sluice-soak-"));
  const output = openSync(devNull, "w");
  const token = randomBytes(24).toString("hex");
  const { settings, environment } = readConfiguration();
  const server = await startServer(
    { environment, settings: { ...settings, dataDir: directory, deployToken: token, port: 0, host: "127.0.0.1", logLevel: "warn" } },
    output,
  ).catch((error: Error) => {
    throw new CommandError(`cannot start a runtime: ${error.message}`);
  });
  return {
    connection: createConnection(server.baseUrl, token),
    async close() {
      await server.stop();
      closeSync(output);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function figures(tally: Tally, seconds: number): Readonly<Record<string, unknown>> {
  const sorted = tally.latencies.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
  return {
    seconds: Math.round(seconds * 10) / 10,
    calls: tally.calls,
    callsPerSecond: Math.round(tally.calls / seconds),
    deploys: tally.deploys,
    broken: tally.broken,
    hungUp: tally.sent["hang-up"],
    queued: tally.queued,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function text(tally: Tally, seconds: number, faults: readonly string[]): string {
  const { calls, callsPerSecond, deploys: count, broken, hungUp, queued, p50Ms, p99Ms } = figures(tally, seconds);
  const head = `${calls} calls (${callsPerSecond}/s, p50 ${p50Ms} ms, p99 ${p99Ms} ms), ${count} deploys, ${broken} broken requests, ${hungUp} hang-ups, ${queued} queued`;
  return `${head}\n${faults.length === 0 ? "the books balance: nothing lost, nothing doubled" : faults.map((fault) => `✗ ${fault}`).join("\n")}`;
}
