// package-lock.json covers every supported platform: without its binaries, `npm ci` succeeds and the build fails.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connectionIndex } from "@sluice/connectors";
import { describe, expect, it } from "vitest";
import { lockFileProblems, type LockedPackages } from "./lock-file.ts";

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as { packages: LockedPackages };

/** Packages with platform fields or install scripts, and why they are accepted. */
const allowed: Readonly<Record<string, string>> = {
  "@oxc-parser/binding-*": "parser of the dead-code check; development only",
  "@oxc-resolver/binding-*": "resolver of the dead-code check; development only",
  "@oxfmt/binding-*": "formatter; development only",
  "@oxlint/binding-*": "linter; development only",
  "@oxlint-tsgolint/*": "linter with types; development only",
  "@rolldown/binding-*": "bundler; needed to build, not to run",
  "@typescript/typescript-*": "compiler; needed to build, not to run",
  "lightningcss-*": "CSS of the designer's page; needed to build, not to run",
  fsevents: "file watching of the development server on macOS; optional",
  "@photostructure/sqlite": "SQLite for Node 20; optional, ships prebuilt binaries, so its install script only looks for one",
};

const problems = (locked: LockedPackages, list = allowed): string[] => lockFileProblems(locked, list);
const without = (path: string): LockedPackages => Object.fromEntries(Object.entries(packages).filter(([key]) => key !== path));

describe("package-lock.json", () => {
  it("has the binaries of every supported platform and nothing unexpected", () => {
    expect(problems(packages)).toEqual([]);
  });

  it.each(
    Object.entries(packages).flatMap(([path, { os, cpu, hasInstallScript }]) => {
      if (os === undefined || cpu === undefined || hasInstallScript === true) return [];
      const target = `${os[0]} ${cpu[0]}`;
      return ["linux x64", "linux arm64", "darwin x64", "darwin arm64", "win32 x64", "win32 arm64"].includes(target) ? [path] : [];
    }),
  )("is rejected without %s", (path) => {
    expect(problems(without(path))).toContainEqual(expect.stringContaining(`${path.replace("node_modules/", "")}, which package-lock.json lacks`));
  });

  it("is rejected without an optional package that has no platform", () => {
    expect(problems(without("node_modules/fsevents"))).toContainEqual(expect.stringContaining("optional package fsevents, which package-lock.json lacks"));
  });

  it("may lack the binaries of other platforms", () => {
    expect(problems(without("node_modules/@rolldown/binding-freebsd-x64"))).toEqual([]);
  });

  it("is rejected when a platform is missing in name and entry", () => {
    const parent = packages["node_modules/rolldown"]!;
    const { "@rolldown/binding-linux-arm64-musl": _, ...optionalDependencies } = parent.optionalDependencies!;
    const locked = { ...without("node_modules/@rolldown/binding-linux-arm64-musl"), "node_modules/rolldown": { ...parent, optionalDependencies } };
    expect(problems(locked)).toEqual([expect.stringContaining("node_modules/rolldown has no binary for linux arm64 musl")]);
  });

  it("is rejected when a binary has another version than its package needs, or was never in the registry", () => {
    const path = "node_modules/@rolldown/binding-darwin-arm64";
    const entry = packages[path]!;
    expect(problems({ ...packages, [path]: { ...entry, version: "1.2.14" } })).toEqual([expect.stringContaining("is locked in version 1.2.14")]);
    const { integrity: _, ...unknown } = entry;
    expect(problems({ ...packages, [path]: unknown })).toEqual([expect.stringContaining("has no hash")]);
  });

  it("finds nested packages", () => {
    const path = "node_modules/@rolldown/binding-linux-x64-gnu";
    const nested = { ...without(path), [`node_modules/rolldown/${path}`]: packages[path]! };
    expect(problems(nested)).toEqual([]);
    expect(problems({ ...without(path), [`node_modules/other/${path}`]: packages[path]! })).toContainEqual(expect.stringContaining("binding-linux-x64-gnu"));
  });

  it("is rejected with an unapproved install script, platform field or address", () => {
    const added = (entry: object): LockedPackages => ({ ...packages, "node_modules/added": { version: "1.0.0", ...entry } });
    expect(problems(added({ hasInstallScript: true }))).toEqual([expect.stringContaining("added runs a script when it is installed")]);
    expect(problems(added({ os: ["linux"] }))).toEqual([expect.stringContaining("added supports only some platforms")]);
    expect(problems(added({ resolved: "https://registry.example/added-1.0.0.tgz" }))).toEqual([
      expect.stringContaining("node_modules/added contains the address"),
    ]);
    expect(problems(packages, { ...allowed, "gone-*": "" })).toEqual([expect.stringContaining("No package matches gone-*")]);
  });
});

it("the command installs the clients that the connectors depend on, which its bundle does not contain", async () => {
  const dependencies = (name: string): Readonly<Record<string, string>> =>
    (JSON.parse(readFileSync(new URL(`../packages/${name}/package.json`, import.meta.url), "utf8")) as { dependencies: Record<string, string> }).dependencies;
  const types = await Promise.all(connectionIndex.map(({ load }) => load()));
  const clients = new Set(types.flatMap(({ needs }) => needs.map((clientPackage) => clientPackage.package)));
  const installed = Object.entries(dependencies("connectors")).filter(([name]) => clients.has(name));
  expect(installed.length).toBeGreaterThan(3);
  expect(dependencies("cli")).toMatchObject(Object.fromEntries(installed));
});

const sqliteBinaries = new URL("../node_modules/@photostructure/sqlite/prebuilds/", import.meta.url);

it.skipIf(!existsSync(sqliteBinaries))("the SQLite package for Node 20 has a binary for every supported platform (needs the optional packages)", () => {
  const binaries = readdirSync(sqliteBinaries, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".node"));
  const libraries = (platform: string): readonly (string | undefined)[] =>
    binaries.filter((name) => name.startsWith(platform)).map((name) => /\b(?:glibc|musl)\b/.exec(name)?.[0]);
  for (const platform of ["linux-x64", "linux-arm64"]) expect(new Set(libraries(platform))).toEqual(new Set(["glibc", "musl"]));
  for (const platform of ["darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64"]) expect(libraries(platform)).toHaveLength(1);
});
