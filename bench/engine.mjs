// npm run bench:engine — the cost of ten trivial steps per message, compared with ten plain function calls in the same run, the number of promises
// of a synchronous route (must be 0), and the bytes allocated with one, ten and twenty steps (must be equal).
import { createHook } from "node:async_hooks";
import { getHeapStatistics } from "node:v8";
import { Headers, Message } from "@sluice/engine";
import { deployRoute, engineRuntime } from "./lib/engine-runtime.mjs";
import { printResult } from "./lib/result.mjs";
import { compareWithHandWritten } from "./lib/slices.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [rounds] = numbersOf("engine", { name: "rounds of 10,000 messages", usual: 150, short: 30 });
const routeInput = await deployRoute(
  engineRuntime(),
  Array.from({ length: 10 }, (_, index) => `setBody: {constant: v${index}}`),
);

const calls = Array.from({ length: 10 }, (_, index) => new Function("exchange", `exchange.message.body = "v${index}";`));
class PlainExchange {
  constructor(message) {
    this.message = message;
  }
}
const plain = (message) => {
  const exchange = new PlainExchange(message);
  for (let index = 0; index < calls.length; index++) calls[index](exchange);
  return exchange;
};

const newMessage = () => new Message("body", new Headers());
const { oursNs, handWrittenNs, ratio } = await compareWithHandWritten(
  () => routeInput.deliver(newMessage()),
  () => plain(newMessage()),
  { slices: rounds, calls: 10_000 },
);

/** Bytes allocated by one run without its message: the minimum of many measurements, because other work allocates too. */
async function bytesPerRun(steps) {
  const input = await deployRoute(
    engineRuntime(),
    Array.from({ length: steps }, (_, index) => `setBody: {constant: v${index}}`),
  );
  for (let index = 0; index < 30_000; index++) input.deliver(new Message("body", new Headers()));
  const batch = Array.from({ length: 1_000 }, () => new Message("body", new Headers()));
  let minimum = Infinity;
  for (let round = 0; round < 50; round++) {
    const before = getHeapStatistics().used_heap_size;
    for (const message of batch) input.deliver(message);
    const used = getHeapStatistics().used_heap_size - before;
    if (used > 0) minimum = Math.min(minimum, used / batch.length);
  }
  return Math.round(minimum);
}
const bytes = { 1: await bytesPerRun(1), 10: await bytesPerRun(10), 20: await bytesPerRun(20) };

let promises = 0;
const hook = createHook({ init: (_id, type) => void (type === "PROMISE" && promises++) }).enable();
for (let index = 0; index < 1000; index++) routeInput.deliver(new Message("body"));
hook.disable();

console.log(
  `ten plain calls ${handWrittenNs.toFixed(0)} ns, ten steps ${oursNs.toFixed(0)} ns per message, ${ratio.toFixed(2)} times, ${promises} promises in 1,000 runs`,
);
console.log(`bytes allocated per run: ${bytes[1]} with one step, ${bytes[10]} with ten, ${bytes[20]} with twenty`);
printResult("engine", { plainNs: handWrittenNs, engineNs: oursNs, ratio, promises, bytes });
