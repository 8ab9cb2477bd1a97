// Searches the output of a runtime for secrets that a server repeats in its errors.
import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { call, followStream, type StartedServer } from "../started-server.ts";

/** A webhook that replies with the failure of its steps. */
export const failingWebhook = (name: string, steps: string): string =>
  `- route: {id: ${name}, from: {uri: "webhook?muteException=false", steps: [{convertBodyTo: {type: String}}, ${steps}]}}`;

/**
 * Makes 1,000 values secret, one after another, and sends each to a route that fails with it. The replies must look like `failure`, and no secret
 * may be in them, in the log, in runs, in the trace or in other replies of the API.
 */
export async function expectNoSecretShown(
  runtime: StartedServer,
  { name, makeSecret, failure }: { readonly name: string; makeSecret(secret: string, round: number): Promise<void>; readonly failure: RegExp },
): Promise<void> {
  const secrets = Array.from({ length: 1000 }, (_, round) => `${randomBytes(9).toString("hex")}${round}`);
  const trace = await followStream(runtime, `/trace/stream?routeId=${name}&body=full`);
  const shown: string[] = [];
  for (const [round, secret] of secrets.entries()) {
    await makeSecret(secret, round);
    const { status, text } = await call(runtime.baseUrl, "POST", `/api/${name}`, secret);
    expect([status, text]).toEqual([500, expect.stringMatching(failure)]);
    shown.push(text);
  }
  for (const path of [`/runs?routeId=${name}&limit=1000`, "/health", "/connections", `/flows/${name}`, "/metrics"])
    shown.push((await runtime.api("GET", path)).text);
  const traced = await trace.end();
  expect([traced.includes("***"), runtime.logText().length > 0]).toEqual([true, true]);
  const everything = [...shown, traced, runtime.logText()].join("\n");
  expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
}
