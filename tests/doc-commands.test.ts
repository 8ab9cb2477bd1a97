// What a reader can type: every command of the documentation works in a clone today, although no package is published, and pages do not disturb each other.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commands } from "../packages/cli/src/commands/index.ts";
import { connectorPackage } from "../packages/cli/src/commands/new/connector-package.ts";
import { templates } from "../packages/cli/src/commands/new/templates.ts";
import { publishablePackages } from "../scripts/publish/pack.mjs";
import { docPages, markdownBelow, nameOf } from "./doc-page.ts";
import { partnerPort } from "./run-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = docPages();
const read = (path: string): string => readFileSync(path, "utf8");

/** Everything a reader sees: pages, READMEs of packages, what `sluice new` writes, and the help of every command. */
const texts: readonly (readonly [string, string])[] = [
  ...pages.map((page) => [nameOf(page), read(page.path)] as const),
  ...publishablePackages().map(({ folder }) => [`${folder.slice(root.length)}/README.md`, read(join(folder, "README.md"))] as const),
  ...markdownBelow(join(root, "deploy")).map((path) => [path.slice(root.length), read(path)] as const),
  ...Object.entries(connectorPackage("acme", "0.1.0", "../packed")).map(([path, text]) => [`new connector: ${path}`, text] as const),
  ...Object.entries(templates).map(([name, template]) => [`new ${name}`, JSON.stringify(template)] as const),
  ...commands.map((command) => [`help of ${command.name}`, JSON.stringify(command)] as const),
];

/** Names of our packages in a command that would look them up in the registry. A sentence about the time after publishing is no such command. */
function unpublishedNames(text: string): readonly string[] {
  const today = text.replaceAll(/[^.\n]*\b[Oo]nce the packages? (?:is|are) (?:published|on the npm registry)[^\n]*/g, "");
  const installs = [...today.matchAll(/\b(?:npm (?:i|install|add|exec|create|init)|npx(?: --package| -p)?|pnpm add|yarn add)\b([^\n`]*)/g)];
  return installs.flatMap(([command, parameters = ""]) =>
    parameters
      .split(/\s+/)
      .filter((word) => /^@sluice\/|^sluice(?:@|$)/.test(word))
      // In a clone, `npx sluice` is the command of the clone.
      .filter((word) => !(word === "sluice" && command.startsWith("npx")))
      .map((word) => `${word} in '${command.trim()}'`),
  );
}

describe("commands of the documentation", () => {
  it("install no package of Sluice from the registry, which has none", () => {
    expect(texts.length).toBeGreaterThan(200);
    expect(texts.flatMap(([name, text]) => unpublishedNames(text).map((problem) => `${name}: ${problem}`))).toEqual([]);
  });

  it.each([
    ["npm install @sluice/client", 1],
    ["npx @sluice/cli run", 1],
    ["npm install --global sluice", 1],
    ["npm i mqtt@5 sluice@0.1.0", 1],
    ["Once the packages are on the npm registry: `npm install @sluice/client`.", 0],
    ["npx sluice run", 0],
    ["npm install ./packed/sluice-0.1.0.tgz", 0],
    ["npx --package ./packed/sluice-0.1.0.tgz sluice start", 0],
  ])("the check of '%s' finds %i", (text, count) => expect(unpublishedNames(text)).toHaveLength(count));

  it("name only tarballs that `npm run packages` writes", () => {
    const written = new Set(publishablePackages().map(({ manifest }) => `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`));
    const named = texts.flatMap(([name, text]) => [...text.matchAll(/[^\s"'`/]+\.tgz/g)].map(([tarball]) => [name, tarball] as const));
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(([, tarball]) => !written.has(tarball))).toEqual([]);
  });

  it("say in README.md and on the installation page that the packages are not published", () => {
    for (const path of ["README.md", "docs/start/install.md"]) expect(read(join(root, path))).toContain("**The packages are not on the npm registry yet.**");
    for (const { folder, manifest } of publishablePackages())
      expect(read(join(folder, "README.md")), manifest.name).toMatch(/Once the packages? (?:is|are) on the npm registry/);
  });
});

describe("how-to guides and examples", () => {
  const executed = pages.filter(
    (page) => /^(?:docs\/how-to|examples)\/(?!index)/.test(nameOf(page)) && page.blocks.some(({ kind, mode }) => kind === "sh" && mode === undefined),
  );
  const link = /\(\S*index\.md#before-you-start\)/;

  it("say what they need: each works alone", () => {
    const needsRuntime = /\$(?:SLUICE|AUTH|TOKEN)\b|process\.env\.SLUICE\b/;
    const missing = executed.filter((page) => nameOf(page).startsWith("docs/") || page.blocks.some(({ body }) => needsRuntime.test(body)));
    expect(missing.length).toBeGreaterThan(45);
    expect(missing.filter(({ path }) => !link.test(read(path))).map(nameOf)).toEqual([]);
  });

  it("use the address of their own runtime, and no port that another page uses: each works beside others", () => {
    const blocks = executed.flatMap((page) => page.blocks.map(({ body }) => [nameOf(page), body] as const));
    expect(
      blocks.flatMap(([name, body]) => [...body.matchAll(/(?:127\.0\.0\.1:|localhost:|--port )80[89]\d\b/g)].map(([address]) => `${name}: ${address}`)),
    ).toEqual([]);
    const users = new Map<string, Set<string>>();
    for (const [name, body] of blocks) for (const [port] of body.matchAll(partnerPort)) users.set(port, (users.get(port) ?? new Set()).add(name));
    expect(users.size).toBeGreaterThan(4);
    expect([...users].filter(([, names]) => names.size > 1)).toEqual([]);
  });
});
