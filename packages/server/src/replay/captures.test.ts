import { Exchange, Message, Run, type Processor, type Runtime, type Tap } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import { expect, it } from "vitest";
import { systemClock } from "../host/clock.ts";
import { Captures } from "./captures.ts";

const route = { id: "busy", flowId: "busy", flowHash: "" };

/** A capture of one route, and a function that sends runs through one of its steps. */
function createCapture(maxBytes: number): { readonly captures: Captures; pass(id: string, body: unknown): void } {
  let tap: Tap | undefined;
  const runtime = { tap: (installed: Tap) => ((tap = installed), () => (tap = undefined)) } as unknown as Runtime;
  const captures = new Captures(runtime, systemClock, 1_000_000);
  captures.start(route.id, 60_000, maxBytes);
  const step = tap?.step?.(() => undefined, { id: "only", name: "log" } as StepNode, route) as Processor;
  return { captures, pass: (id, body) => void step(new Exchange(id, new Run(id, route, 0, { uri: "x" }), "InOut", new Message(body))) };
}

const capturedIndexes = (captures: Captures, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index).filter((index) => captures.of(`run-${index}`) !== undefined);

it("a full capture keeps its messages and records no further runs", () => {
  const { captures, pass } = createCapture(2_000);
  for (let index = 0; index < 30_000; index++) pass(`run-${index}`, "x".repeat(300));
  const captured = capturedIndexes(captures, 30_000);
  expect(captured).toEqual(captured.map((_, index) => index));
  expect(captured.length).toBeGreaterThan(2);
  expect(captured.length).toBeLessThan(10);
  expect(captured.map((index) => captures.of(`run-${index}`)?.truncated)).toEqual([...captured.slice(1).map(() => false), true]);
  captures.closeAll();
});

it("runs with messages that are too large are recorded without these messages, and the oldest runs are evicted above a limit", () => {
  const { captures, pass } = createCapture(900_000);
  const large = new Uint8Array(300_000);
  for (let index = 0; index < 10_050; index++) pass(`run-${index}`, large);
  expect(capturedIndexes(captures, 10_050)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 50));
  expect(captures.of("run-10049")).toEqual({ steps: [], truncated: true });
  captures.closeAll();
});
