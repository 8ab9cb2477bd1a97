// Checks every step, language, format and bean: its examples run, it passes messages on, and preparing a flow with it starts nothing.
import { createRuntime } from "@sluice/engine";
import { catalogOf, exampleDocument, FakeHost, flow, recordingConnectors } from "@sluice/testkit";
import { describe as describeField, type Fields } from "@sluice/model";
import { describe, expect, it } from "vitest";
import { beans, formats, languages, steps } from "./index.ts";
import { polledQueue } from "./steps/polled-queue.test-support.ts";
import { operatorFunctions } from "./steps/operator-functions.test-support.ts";

const declarations = [
  ...steps.map((step) => ({ ...step, kind: "step" })),
  ...languages.map((language) => ({ ...language, kind: "language" })),
  ...formats.map((format) => ({ ...format, kind: "format" })),
];
const examples = declarations.flatMap(({ kind, name, examples: ownExamples }) =>
  ownExamples.map((example) => [`${kind} ${name}: ${example.title}`, name, example] as const),
);

/** Steps that end or fail the exchange, as their summaries state. */
const endingSteps: Readonly<Record<string, RegExp>> = { stop: /^Ends/, throwException: /^Fails/, rollback: /^Fails/ };

describe.each(declarations.map((declaration) => [`${declaration.kind} ${declaration.name}`, declaration] as const))("%s", (_, declaration) => {
  it("has a title, a summary, a version, an icon and documented options", () => {
    expect(declaration.title).toMatch(/^[A-Z]|^jq$/);
    expect(declaration.summary).toMatch(/^[A-Z][^\n]*\.$/);
    expect(declaration.since).toMatch(/^\d+\.\d+$/);
    expect(declaration.icon ?? "").toMatch(/^[a-z][a-z0-9-]+$/);
    for (const [name, field] of Object.entries(declaration.options as Fields)) expect(describeField(field).spec.doc, name).not.toBe("");
  });
});

describe("guarantees", () => {
  it.each(steps.map((step) => [step.name, step] as const))("step %s documents its guarantees", (_, step) => {
    expect(step.guarantees).toMatch(/^[A-Z][^\n]{40,}\.$/);
  });
});

describe("every example", () => {
  it.each(examples)("%s works as described", async (_title, _name, example) => {
    const run = await flow(exampleDocument(example.yaml), { connectors: [polledQueue()], beans: operatorFunctions });
    const pending = run(example.given ?? {});
    await run.host.clock.advance(10_000);
    const { exchange, error } = await pending;
    const { expect: expected } = example;
    if (expected.error === undefined) expect(error).toBeUndefined();
    else expect(error).toContain(expected.error);
    if ("body" in expected) expect(plain(exchange.message.body)).toEqual(plain(expected.body));
    if (expected.headers !== undefined) expect(exchange.message.headers.toObject()).toMatchObject(expected.headers);
    if (expected.properties !== undefined) expect(Object.fromEntries(exchange.properties ?? [])).toMatchObject(expected.properties);
    if (expected.variables !== undefined) expect(Object.fromEntries(exchange.variables ?? [])).toMatchObject(expected.variables);
    await run.stop();
    expect(run.host.clock.pending).toBe(0);
  });

  it.each(examples.filter(([title, , example]) => title.startsWith("step ") && example.expect.error === undefined))(
    "%s lets the message through, or documents that it does not",
    async (_title, name, example) => {
      const withNextStep = `${exampleDocument(example.yaml).trimEnd()}\n        - to: mock:after\n`;
      const run = await flow(withNextStep, { connectors: [polledQueue()], beans: operatorFunctions });
      const pending = run(example.given ?? {});
      await run.host.clock.advance(10_000);
      await pending;
      const summaryPattern = endingSteps[name];
      if (summaryPattern === undefined) expect(run.mocks.get("after")?.length).toBe(1);
      else {
        expect(run.mocks.get("after")).toBeUndefined();
        expect(declarations.find((declared) => declared.name === name)?.summary).toMatch(summaryPattern);
      }
      await run.stop();
    },
  );

  it.each(examples)("%s starts nothing while it is prepared", (_title, _name, example) => {
    const host = new FakeHost();
    const ignore = (): void => undefined;
    const runtime = createRuntime({
      catalog: catalogOf([...recordingConnectors().connectors, polledQueue()], operatorFunctions),
      host,
      listener: { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore },
    });
    const { diagnostics } = runtime.prepare({ id: "dropped", hash: "0", source: exampleDocument(example.yaml), property: () => undefined });
    expect(diagnostics).toEqual([]);
    expect([host.clock.pending, host.http.mounts.length, host.log.records.length, runtime.routes.size]).toEqual([0, 0, 0, 0]);
  });
});

describe("beans", () => {
  it.each(beans.map((bean) => [bean.names[0] as string, bean] as const))("%s is documented and has unique names", (_, bean) => {
    expect(bean.summary).toMatch(/^[A-Z][^\n]*\.$/);
    for (const name of bean.names) expect(beans.filter((other) => other.names.includes(name)).length, name).toBe(1);
    for (const [name, field] of Object.entries(bean.properties as Fields)) expect(describeField(field).spec.doc, name).toMatch(/\.$/);
  });
});

/** Compares maps as plain objects. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
