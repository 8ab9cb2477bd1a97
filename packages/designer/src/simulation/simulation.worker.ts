// Runs the engine in a Web Worker, so that a flow cannot block the page.
import "./disable-schema-jit.ts";
import { evaluate } from "./evaluate.ts";
import { simulate } from "./simulate.ts";
import { simulateTests } from "./simulate-tests.ts";
import type { WorkerMessage, WorkerRequest } from "./worker-messages.ts";

const report = (message: WorkerMessage): void => postMessage(message);

function work(data: WorkerRequest): Promise<unknown> {
  switch (data.kind) {
    case "simulate":
      return simulate(data.request);
    case "tests":
      return simulateTests(data.request);
    case "evaluate":
      return evaluate(data.request);
  }
}

addEventListener("message", ({ data }: MessageEvent<WorkerRequest>) => {
  work(data).then(
    (result) => report({ kind: "done", number: data.number, result }),
    (error: Error) => report({ kind: "crashed", number: data.number, message: error.message }),
  );
});
report({ kind: "ready" });
