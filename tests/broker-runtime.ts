// A runtime whose flows use a real broker, with helpers for tests.
import { randomUUID } from "node:crypto";
import type { FaultyLink } from "@sluice/testkit";
import { expect } from "vitest";
import { eventually, startTestServer, type StartedServer } from "./started-server.ts";

export interface BrokerRuntime extends StartedServer {
  /** Deploys a flow; fails the test with the error if it is rejected. */
  deploy(id: string, yaml: string): Promise<void>;
  /** Status of the route that has the same id as its flow; `none` if there is no such route. */
  routeStatus(id: string): Promise<string>;
  /** The dead letters of one route, or of all routes. */
  deadLetters(routeId?: string): Promise<readonly DeadLetter[]>;
}

interface DeadLetter {
  readonly id: string;
  readonly routeId: string;
  readonly body: string;
  readonly attempts: number;
}

export async function startBrokerRuntime(env: Readonly<Record<string, string>> = {}, dataDir?: string): Promise<BrokerRuntime> {
  const server = await startTestServer({ env: { SERVICE_DRAIN_MS: "5s", ...env }, ...(dataDir === undefined ? {} : { dataDir }) });
  return {
    ...server,
    async deploy(id, yaml) {
      const { status, text } = await server.putFlow(id, yaml);
      if (status >= 300) throw new Error(`the flow was rejected with ${status}: ${text}`);
    },
    async routeStatus(id) {
      const { json } = await server.api("GET", `/flows/${id}`);
      return (json?.routes as readonly { id: string; status: string }[] | undefined)?.find((route) => route.id === id)?.status ?? "none";
    },
    async deadLetters(routeId) {
      const { json } = await server.api("GET", `/dead-letters?limit=1000${routeId === undefined ? "" : `&routeId=${routeId}`}`);
      const found = json.deadLetters as readonly { id: string }[];
      return Promise.all(
        found.map(async ({ id }) => {
          const deadLetter = (await server.api("GET", `/dead-letters/${id}`)).json;
          return { id, routeId: deadLetter.routeId, body: deadLetter.message.body, attempts: deadLetter.attempts } as DeadLetter;
        }),
      );
    },
  };
}

/** A name that is unique to one test. */
export const uniqueName = (): string => `t${randomUUID().slice(0, 8)}`;

/** Waits until a value is as expected; on timeout, reports the last value. The default limit is long: only a defect makes a test wait that long. */
export async function expectEventually<T>(value: () => T | Promise<T>, expected: T, withinMs = 120_000): Promise<void> {
  let last: T | undefined;
  await eventually(async () => (last = await value()) === expected, withinMs).catch(() => {
    throw new Error(`expected ${String(expected)}, but it is ${String(last)}`);
  });
}

/** One message per number. */
export const numberedMessages = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `message ${index}`);

/** The messages of `numberedMessages` that are missing in `found`. */
export const missingOf = (count: number, found: readonly string[]): readonly string[] => {
  const present = new Set(found);
  return numberedMessages(count).filter((text) => !present.has(text));
};

/**
 * Waits until all numbered messages are found, while the connection between runtime and broker is cut several times: each time when a further part of the
 * messages has arrived, so that others are on their way however fast the machine is.
 */
export async function waitForAllDespiteCuts(link: FaultyLink, count: number, found: () => readonly string[], cuts = 5): Promise<void> {
  for (let cut = 1; cut <= cuts; cut++) {
    const due = Math.floor((count * cut) / (cuts + 1));
    await expectEventually(() => new Set(found()).size >= due, true);
    const { accepted } = link;
    link.cut();
    await expectEventually(() => link.accepted > accepted, true);
  }
  await expectEventually(() => missingOf(count, found()).length, 0);
}

/** Deploys a route whose broker is unreachable: the deployment must end while the broker is still unreachable, with the route `Failed`. */
export async function expectFailedRoute(runtime: BrokerRuntime, routeId: string, deploy: () => Promise<void>): Promise<void> {
  await deploy();
  expect(await runtime.routeStatus(routeId)).toBe("Failed");
}

/** Steps that fail for every message whose number ends in 7, after changing it. */
export const sometimesFailingSteps = `{setHeader: {name: original, simple: "\${bodyAs(String)}"}}, {setBody: {constant: changed}}, {choice: {when: [{simple: "\${header.original} endsWith '7'", steps: [{throwException: {exceptionType: java.io.IOException, message: broken}}]}]}}, {setBody: {simple: "\${header.original}"}}`;
