import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { steps } from "./index.ts";
import { letterbox } from "./letterbox.fixture.ts";

const here = dirname(fileURLToPath(import.meta.url));
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** These need a function of the operator or a template beside the step, which an example of one step cannot hold. */
const withoutExample = ["bean", "kamelet", "process"];

describe("the list of steps", () => {
  it("holds one step for every folder, in alphabetical order", () => {
    const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(steps.map(({ name }) => kebab(name)).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
    expect(steps.map(({ name }) => name.toLowerCase())).toEqual(steps.map(({ name }) => name.toLowerCase()).toSorted());
  });

  it.each(steps.map((step) => [step.name, step] as const))("%s says what it is for and shows it", (name, step) => {
    expect(step.summary).toMatch(/^[A-Z].*\.$/);
    if (!withoutExample.includes(name)) expect(step.examples.length).toBeGreaterThan(0);
    if (step.shorthand !== undefined) expect(Object.keys(step.options)).toContain(step.shorthand);
  });
});

const examples = steps.flatMap((step) => step.examples.map((example) => [`${step.name}: ${example.title}`, example] as const));

describe("every example does what it says", () => {
  it.each(examples)("%s", async (_title, example) => {
    const run = await flow(`- ${example.yaml}`, { connectors: [letterbox()] });
    const pending = run(example.given ?? {});
    await run.host.clock.advance(10_000);
    const { exchange, error } = await pending;
    const { expect: wanted } = example;
    if (wanted.error !== undefined) expect(error).toContain(wanted.error);
    else expect(error).toBeUndefined();
    if ("body" in wanted) expect(exchange.message.body).toEqual(wanted.body);
    if (wanted.headers !== undefined) expect(exchange.message.headers.toObject()).toEqual(wanted.headers);
    if (wanted.properties !== undefined) expect(Object.fromEntries(exchange.properties ?? [])).toMatchObject(wanted.properties);
    if (wanted.variables !== undefined) expect(Object.fromEntries(exchange.variables ?? [])).toEqual(wanted.variables);
    await run.stop();
  });
});
