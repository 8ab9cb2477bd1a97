// Runs the engine in a Web Worker, so that a flow cannot block the page.
import "./no-code-from-text.ts";
import { evaluate } from "./evaluate.ts";
import { simulate } from "./simulate.ts";
import { simulateTests } from "./simulate-tests.ts";
import type { Order, Report } from "./work.ts";

const report = (message: Report): void => postMessage(message);

function work(order: Order): Promise<unknown> {
  switch (order.kind) {
    case "simulate":
      return simulate(order.request);
    case "tests":
      return simulateTests(order.request);
    case "evaluate":
      return evaluate(order.request);
  }
}

addEventListener("message", ({ data }: MessageEvent<Order>) => {
  work(data).then(
    (result) => report({ kind: "done", number: data.number, result }),
    (error: Error) => report({ kind: "crashed", number: data.number, message: error.message }),
  );
});
report({ kind: "ready" });
