// Runs the tests of a deployed flow on the runtime, through the designer server. The runner is the same as in the simulation, with one session per test.
import { follow, type StreamState } from "@sluice/client";
import { workspaceClient } from "../api-client/workspace-client.ts";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { runTestFile, type Transport, type TransportLine } from "../simulation/run-test-file.ts";
import type { FileResult, TestFile } from "../simulation/test-result.ts";

export async function runDeployedTests(files: readonly TestFile[], target: string | undefined): Promise<readonly FileResult[]> {
  const transport = proxiedTransport(target);
  const results: FileResult[] = [];
  for (const file of files) results.push(await runTestFile(transport, file));
  return results;
}

/** How long to wait for log records to arrive. */
const arrivalMs = 150;

function proxiedTransport(target: string | undefined): Transport {
  const runtime = runtimeAt(target);
  return {
    async api(method, path, body) {
      const { status, headers, body: text } = await runtime.relay(method, path, { body });
      return { status, headers: Object.fromEntries(headers), text };
    },
    async webhook(method, path, headers, body) {
      const reply = await workspaceClient.tryWebhook({ target: target ?? null, path, method, headers, body: body ?? "" });
      return { status: reply.status, headers: reply.headers, text: reply.body };
    },
    followLog: (sessionId) =>
      new Promise((resolve) => {
        const lines: TransportLine[] = [];
        const controller = new AbortController();
        const onState = (state: StreamState): void => {
          if (state !== "connecting") resolve(followed);
        };
        const listen = async (): Promise<void> => {
          const events = follow(runtime, "GET /logs/stream", { query: { sessionId }, signal: controller.signal, retryFirstConnection: true, onState });
          for await (const event of events) if (event.name === "log") lines.push(event.data);
        };
        void listen();
        const followed = {
          lines: async () => {
            await new Promise((wait) => setTimeout(wait, arrivalMs));
            return lines;
          },
          close: () => controller.abort(),
        };
      }),
  };
}
