// The image: what can be checked without building it. long/image-build.test.ts runs the commands of the Dockerfile.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseCopy, readDockerfile, textsOf, type Stage } from "./dockerfile.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const stages = readDockerfile(`${root}Dockerfile`);
const build = stages.find(({ name }) => name === "build") as Stage;
const final = stages.at(-1) as Stage;
const ignored = readFileSync(`${root}.dockerignore`, "utf8").split("\n");

describe("the Dockerfile", () => {
  it("copies only files that exist and that .dockerignore lets through", () => {
    const sources = stages.flatMap((stage) =>
      textsOf(stage, "COPY")
        .map(parseCopy)
        .flatMap(({ from, sources: paths }) => (from === undefined ? paths : [])),
    );
    expect(sources.length).toBeGreaterThan(15);
    expect(sources.filter((path) => !existsSync(root + path) || ignored.includes(path))).toEqual([]);
  });

  it("installs the packages of the build before it copies the sources, from the manifests of all workspaces and the lock file", () => {
    const install = build.instructions.findIndex(({ keyword, text }) => keyword === "RUN" && text.startsWith("npm ci"));
    const before = build.instructions.slice(0, install).flatMap(({ keyword, text }) => (keyword === "COPY" ? parseCopy(text).sources : []));
    const manifests = readdirSync(`${root}packages`).map((name) => `packages/${name}/package.json`);
    expect(before.toSorted()).toEqual([".npmrc", "package-lock.json", "package.json", ...manifests].toSorted());
    expect(build.instructions.slice(install).map(({ text }) => text)).toContain("packages packages");
  });

  it("has a final stage with the packed package and its dependencies only, no tools, no sources and no root", () => {
    expect(textsOf(final, "COPY").map(parseCopy)).toEqual([
      { from: "build", sources: ["/app/package"], target: "./sluice" },
      { from: "dependencies", sources: ["/app/node_modules"], target: "./sluice/node_modules" },
    ]);
    expect(textsOf(final, "RUN").filter((text) => text.includes("npm"))).toEqual([]);
    expect(textsOf(final, "USER")).toEqual(["node"]);
    const after = final.instructions.slice(final.instructions.findIndex(({ keyword }) => keyword === "USER"));
    expect(after.filter(({ keyword }) => keyword === "RUN" || keyword === "COPY")).toEqual([]);
  });

  it("checks the health of the runtime, and its stop signal drains it", () => {
    expect(textsOf(final, "HEALTHCHECK")).toEqual([expect.stringContaining("/_api/health?probe=live")]);
    expect(textsOf(final, "STOPSIGNAL")).toEqual(["SIGTERM"]);
  });

  it("installs nothing that the lock file does not contain, and runs no install scripts", () => {
    const installs = stages.flatMap((stage) => textsOf(stage, "RUN")).filter((text) => /npm (?:ci|i|install)\b/.test(text));
    expect(installs).toHaveLength(2);
    for (const text of installs) expect(text).toMatch(/^npm ci .*--ignore-scripts/);
    expect(installs[0]).toMatch(/--omit=dev --omit=optional/);
  });
});
