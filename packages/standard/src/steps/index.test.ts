import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { steps } from "./index.ts";

const here = dirname(fileURLToPath(import.meta.url));
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe("the list of steps", () => {
  it("contains one step for every folder, in alphabetical order", () => {
    const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(steps.map(({ name }) => kebab(name)).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
    expect(steps.map(({ name }) => name.toLowerCase())).toEqual(steps.map(({ name }) => name.toLowerCase()).toSorted());
  });

  it.each(steps.map((step) => [step.name, step] as const))("%s has a summary and an example", (_name, step) => {
    expect(step.summary).toMatch(/^[A-Z].*\.$/);
    expect(step.examples.length).toBeGreaterThan(0);
    if (step.shorthand !== undefined) expect(Object.keys(step.options)).toContain(step.shorthand);
  });
});
