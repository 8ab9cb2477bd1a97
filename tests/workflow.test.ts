// The workflow file of GitHub is not run here: its syntax, its scripts and its versions are checked.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { currentLts } from "../scripts/node-versions/versions.mjs";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly "runs-on": string;
  readonly "timeout-minutes": number;
  readonly if?: string;
  readonly needs?: string;
  readonly strategy?: { readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] } };
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: { readonly push: { readonly branches: readonly string[]; readonly tags: readonly string[] } };
  readonly permissions: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = new URL("../.github/workflows/", import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { scripts: Readonly<Record<string, string>> };
const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
const workflows = texts.map((text) => {
  const document = parseDocument(text, { uniqueKeys: true });
  expect(document.errors.concat(document.warnings)).toEqual([]);
  return document.toJS() as Workflow;
});
const [ci] = workflows as [Workflow];
const commandsOf = (job: Job): readonly string[] => job.steps.flatMap(({ run }) => (run === undefined ? [] : run.trim().split("\n")));

it("runs the three tiers on Linux x64 and arm64, macOS and Windows", () => {
  const { test } = ci.jobs as { readonly test: Job };
  expect(test.strategy?.matrix.include.map(({ runner }) => runner?.replace(/-[\d.]+/, ""))).toEqual(["ubuntu", "ubuntu-arm", "macos", "windows"]);
  const tiers = commandsOf(test).filter((command) => /^npm (?:test|run test)/.test(command));
  expect(tiers).toEqual(["npm run test:quick", "npm test", "npm run test:all"]);
});

it("builds the packages and the image on a tag, after the tests", () => {
  expect(ci.on.push.tags).toEqual(["v*"]);
  for (const name of ["packages", "image"]) expect(ci.jobs[name]).toMatchObject({ if: "startsWith(github.ref, 'refs/tags/')", needs: "test" });
  expect(ci.jobs["image"]?.steps.find(({ uses }) => uses?.startsWith("docker/build-push-action"))?.with).toMatchObject({
    platforms: "linux/amd64,linux/arm64",
  });
});

it("names only npm scripts that exist, and the Node of the image", () => {
  const names = workflows.flatMap(({ jobs }) =>
    Object.values(jobs).flatMap((job) => commandsOf(job).flatMap((command) => /^npm (?:run )?(\S+)/.exec(command)?.[1] ?? [])),
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => name !== "ci" && !(name in scripts))).toEqual([]);
  expect(ci.env["NODE_VERSION"]).toBe(currentLts);
});

it("needs no secrets and no write access, limits the time of every job, and pins every action to a version", () => {
  for (const text of texts) expect(text).not.toMatch(/secrets\.|contents: write|packages: write/);
  for (const { permissions, jobs } of workflows) {
    expect(permissions).toEqual({ contents: "read" });
    for (const job of Object.values(jobs)) {
      expect(job["timeout-minutes"]).toBeGreaterThan(0);
      for (const { uses } of job.steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
    }
  }
});
