// Which versions of Node are supported is stated in several places, which must agree.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checkNode } from "../packages/cli/src/commands/doctor/check-node.ts";
import { currentLts, floors } from "../scripts/node-versions/versions.mjs";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const [bestEffort, ...supported] = floors as [string, ...string[]];

it("`sluice doctor` accepts the first supported versions and warns about older ones", () => {
  expect(checkNode(bestEffort)).toMatchObject({ state: "warning", text: expect.stringContaining("best-effort") });
  expect(checkNode(currentLts)).toMatchObject({ state: "ok" });
  for (const version of supported) {
    expect(checkNode(version)).toMatchObject({ state: "ok" });
    const [major, minor] = version.split(".").map(Number) as [number, number];
    if (minor > 0) expect(checkNode(`${major}.${minor - 1}.9`)).toMatchObject({ state: "warning" });
  }
});

it("the support policy and the platforms name them", () => {
  for (const page of ["docs/operations/support.md", "docs/operations/platforms.md"]) {
    for (const version of floors) expect(read(page)).toContain(version);
    expect(read(page)).toContain(currentLts.split(".").slice(0, 2).join("."));
  }
});

it("every page that states what Node is needed states the same", () => {
  for (const page of ["README.md", "docs/start/install.md", "docs/start/five-minutes.md", "docs/operations/platforms.md", "packages/cli/README.md"]) {
    expect(read(page), page).toMatch(/22\.23, 24\.15, 26 or\s+newer/);
    expect(read(page), page).toMatch(/20\.19[^.]* best[ -]effort/);
  }
});

it("the image contains the current LTS version", () => {
  const versions = [...read("Dockerfile").matchAll(/^FROM node:(\S+)-slim/gm)].map(([, version]) => version);
  expect(new Set(versions)).toEqual(new Set([currentLts]));
});
