// The engine's own thread in the page: nothing a flow does can hold up typing.
import "./no-code-from-text.ts";
import { simulate } from "./simulate.ts";
import { simulateTests } from "./simulate-tests.ts";
import type { Order, Report } from "./work.ts";

const report = (message: Report): void => postMessage(message);

addEventListener("message", ({ data }: MessageEvent<Order>) => {
  const work = data.kind === "simulate" ? simulate(data.request) : simulateTests(data.request);
  work.then(
    (result) => report({ kind: "done", number: data.number, result }),
    (error: Error) => report({ kind: "crashed", number: data.number, message: error.message }),
  );
});
report({ kind: "ready" });
