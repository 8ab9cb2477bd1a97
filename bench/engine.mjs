// npm run bench:engine — what ten trivial steps cost per message, beside ten plain function calls doing the same work
// in the same run, and how many promises a synchronous route makes (it must be none).
import { createHook } from "node:async_hooks";
import { Headers, Message } from "@sluice/engine";
import { deployed, engineRuntime } from "./lib/engine-runtime.mjs";

const rounds = 7;
const messages = 300_000;
const inlet = await deployed(
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

function time(run) {
  const began = process.hrtime.bigint();
  for (let index = 0; index < messages; index++) run(new Message("body", new Headers()));
  return Number(process.hrtime.bigint() - began) / messages;
}

const best = { engine: Infinity, plain: Infinity };
for (let round = 0; round < rounds; round++) {
  best.plain = Math.min(best.plain, time(plain));
  best.engine = Math.min(
    best.engine,
    time((message) => inlet.deliver(message)),
  );
}

let promises = 0;
const hook = createHook({ init: (_id, type) => void (type === "PROMISE" && promises++) }).enable();
for (let index = 0; index < 1000; index++) inlet.deliver(new Message("body"));
hook.disable();

console.log(
  `ten plain calls ${best.plain.toFixed(0)} ns, ten steps ${best.engine.toFixed(0)} ns per message, ${(best.engine / best.plain).toFixed(2)} times, ${promises} promises in 1,000 runs`,
);
console.log(JSON.stringify({ bench: "engine", plainNs: best.plain, engineNs: best.engine, ratio: best.engine / best.plain, promises }));
