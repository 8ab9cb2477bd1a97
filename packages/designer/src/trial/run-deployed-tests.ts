// The flow's tests against the deployed runtime: the same runner as everywhere, each test in a session of its own, through the
// designer's server.
import { workspaceClient } from "../api-client/workspace-client.ts";
import { openEventStream } from "../api-client/event-stream.ts";
import { targetHeaders } from "../api-client/runtime-client.ts";
import { runTestFile, type Transport, type TransportLine } from "../simulation/run-test-file.ts";
import type { FileVerdict, TestFile } from "../simulation/test-verdict.ts";

export async function runDeployedTests(files: readonly TestFile[], target: string | undefined): Promise<readonly FileVerdict[]> {
  const transport = proxiedTransport(target);
  const verdicts: FileVerdict[] = [];
  for (const file of files) verdicts.push(await runTestFile(transport, file));
  return verdicts;
}

/** How long what was just logged may take to arrive. */
const arrivalMs = 150;

function proxiedTransport(target: string | undefined): Transport {
  return {
    async api(method, path, body) {
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { "content-type": "application/json", ...targetHeaders(target) };
      const reply = await fetch(`/_api${path}`, { method, headers, ...content });
      return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
    },
    async webhook(method, path, headers, body) {
      const reply = await workspaceClient.tryWebhook({ target: target ?? null, path, method, headers, body: body ?? "" });
      return { status: reply.status, headers: reply.headers, text: reply.body };
    },
    followLog: (sessionId) =>
      new Promise((resolve) => {
        const lines: TransportLine[] = [];
        const stop = openEventStream(`/_api/logs/stream?sessionId=${encodeURIComponent(sessionId)}`, {
          headers: targetHeaders(target),
          onEvent: ({ name, data }) => name === "log" && lines.push(JSON.parse(data) as TransportLine),
          onState: (state) => state === "connecting" || resolve(followed),
        });
        const followed = {
          lines: async () => {
            await new Promise((wait) => setTimeout(wait, arrivalMs));
            return lines;
          },
          close: stop,
        };
      }),
  };
}
