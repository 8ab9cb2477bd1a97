// The complete sweep: every language, format and step of the catalog and every endpoint, each with the worst bodies that the default limits allow.
// `SWEEP=<regular expression>` selects cases by name. The known critical cases are in tests/long/event-loop.test.ts.
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { apiCases, uncoveredEndpoints } from "../long/event-loop/api-cases.ts";
import { batchesOf, type Batch } from "../long/event-loop/batches.ts";
import { inputs, type InputName } from "../long/event-loop/hostile-inputs.ts";
import { budgetMs } from "../long/event-loop/loop-watch.ts";
import { messageCases, uncovered } from "../long/event-loop/message-cases.ts";
import { report, routeOf, startSweepServer, type Measurement, type SweepServer } from "../long/event-loop/sweep.ts";

/** Just below the body limit of 10 MiB. */
const size = 9_900_000;
const selection = new RegExp(process.env["SWEEP"] ?? "");
/** Above this time, each case of a batch is measured separately. */
const measureEachAboveMs = 200;
const timeoutMs = 2 * 3_600_000;

const chosenCases = messageCases
  .map((messageCase) => ({ ...messageCase, inputs: messageCase.inputs.filter((input) => selection.test(`${messageCase.name} < ${input}`)) }))
  .filter(({ inputs: chosen }) => chosen.length > 0);

let sweep: SweepServer;
const measured: Measurement[] = [];
const bodies = new Map<InputName, Buffer>();
const bodyOf = (name: InputName): Buffer => {
  let body = bodies.get(name);
  if (body === undefined) bodies.set(name, (body = Buffer.from(inputs[name](size))));
  return body;
};

beforeAll(async () => void (sweep = await startSweepServer()));
afterAll(async () => {
  await sweep.end();
  console.log(`${measured.length} measured, the longest:\n${report(measured)}`);
});

/** Measures twice before it reports an exceeded budget, because the first measurement may include compilation or the load of another process. */
async function measure(name: string, send: () => Promise<string>): Promise<Measurement> {
  const result = await sweep.measure(name, send);
  if (result.blockedMs <= budgetMs) return result;
  const second = await sweep.measure(name, send);
  return second.blockedMs < result.blockedMs ? second : result;
}

function record(result: Measurement): void {
  measured.push(result);
  if (process.env["SWEEP_LOG"] !== undefined) appendFileSync(process.env["SWEEP_LOG"], `${report([result])}\n`);
}

const offenders = (from: number): readonly string[] =>
  measured
    .slice(from)
    .filter(({ blockedMs }) => blockedMs > budgetMs)
    .map(({ name, blockedMs }) => `${name}: ${blockedMs} ms`);

it("every part of the catalog has a case", async () => {
  const { json } = await sweep.server.api("GET", "/catalog");
  expect(uncovered(json)).toEqual([]);
});

it("every endpoint has a case", async () => {
  const { json } = await sweep.server.api("GET", "/openapi.json");
  expect(uncoveredEndpoints(json)).toEqual([]);
});

it(
  "no body blocks the event loop, regardless of the route",
  async () => {
    const from = measured.length;
    const unfinished: string[] = [];
    for (const batch of batchesOf(chosenCases)) {
      await withRoute(batch, async (path) => {
        for (const input of batch.inputs) {
          const result = await measure(`${batch.name} < ${input}`, () => sweep.post(path, bodyOf(input)));
          if (batch.cases.length > 1 && !result.reply.startsWith("200 done")) unfinished.push(`${result.name}: ${result.reply}`);
          if (batch.cases.length === 1 || result.blockedMs <= measureEachAboveMs) record(result);
          else await measureEach(batch, input);
        }
      });
    }
    expect(unfinished).toEqual([]);
    expect(offenders(from)).toEqual([]);
  },
  timeoutMs,
);

/** Measures each case of a batch separately. */
async function measureEach(batch: Batch, input: InputName): Promise<void> {
  for (const messageCase of batch.cases)
    await withRoute(messageCase, async (path) => record(await measure(`${messageCase.name} < ${input}`, () => sweep.post(path, bodyOf(input)))));
}

let routes = 0;
async function withRoute({ name, steps }: Pick<Batch, "name" | "steps">, use: (path: string) => Promise<void>): Promise<void> {
  const id = `sweep-${routes++}`;
  const put = await sweep.server.putFlow(id, routeOf(id, steps));
  expect([name, put.status, put.json?.error]).toEqual([name, 201, undefined]);
  await use(`/api/${id}`);
  await sweep.server.api("DELETE", `/flows/${id}`);
}

it(
  "no document or request blocks the event loop, at any endpoint",
  async () => {
    const from = measured.length;
    for (const { name, method, path, body, headers } of apiCases) {
      if (!selection.test(name)) continue;
      const text = body?.();
      record(await measure(name, () => sweep.api(method, path, text, headers)));
    }
    expect(offenders(from)).toEqual([]);
  },
  timeoutMs,
);
