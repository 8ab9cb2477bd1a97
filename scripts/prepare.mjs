// Prepares a fresh clone: installs the packages of package-lock.json and builds changed parts.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { buildConnectorKit } from "./connector-kit.mjs";
import { root, runNode, runNpm, withProgress } from "./run-command.mjs";

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Sluice needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Installs and builds if something changed since the last time. */
export async function prepare() {
  assertNodeVersion();
  await install();
  await build();
}

async function install() {
  const stamp = `${root}node_modules/.sluice-installed`;
  const manifests = readdirSync(`${root}packages`).map((name) => `packages/${name}/package.json`);
  // Binaries are platform-specific: a clone copied to another platform is reinstalled.
  const key = `${process.platform}-${process.arch} ${hashOf(["package.json", "package-lock.json", ...manifests])}`;
  if (contentOf(stamp) === key) return;
  // No package needs its install script: native binaries are prebuilt.
  await withProgress("Installing packages", () => runNpm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]));
  writeFileSync(stamp, key);
}

/** Compiles what has changed. */
export const compile = () => runNode([`${root}node_modules/typescript/bin/tsc`, "-b"]);

/** Compiles, and bundles outdated parts. */
export async function build() {
  await withProgress("Compiling", compile);
  buildConnectorKit();
  await buildDesigner();
  // Loaded only here, because the compilation above writes its inputs.
  if (!createRequire(import.meta.url)("../packages/cli/bin/bundle.cjs").isCurrent())
    await withProgress("Bundling the command", () => runNode([`${root}scripts/bundle.mjs`]));
}

const designerInputs = [
  "package-lock.json",
  ...["designer/src", "designer/public", "designer/index.html", "designer/vite.config.ts", "designer/package.json"].map((path) => `packages/${path}`),
  "scripts/designer-catalog.mjs",
  ...["model/src", "engine/src", "standard/src", "mapping/src", "connectors/src", "flow-tests/src", "client/src"].map((path) => `packages/${path}`),
];

/** Bundles the designer's page if the content of its sources has changed since the last bundle. */
export async function buildDesigner() {
  const folder = `${root}packages/designer/dist`;
  const stamp = `${folder}/app.sha256`;
  const key = hashOf(designerInputs);
  if (existsSync(`${folder}/app/index.html`) && contentOf(stamp) === key) return;
  const next = `${folder}/app.next`;
  const vite = createRequire(`${root}packages/designer/package.json`)
    .resolve("vite/package.json")
    .replace(/package\.json$/, "bin/vite.js");
  const parameters = [vite, "build", "--logLevel", "warn", "--outDir", next, `${root}packages/designer`];
  await withProgress("Bundling the designer", () => runNode(parameters, { NODE_ENV: "production" }));
  await runNode([`${root}scripts/designer-catalog.mjs`, `${next}/catalog.json`]);
  // Renamed only when complete, so that a designer that starts meanwhile never sees a partial page.
  rmSync(`${folder}/app`, { recursive: true, force: true });
  renameSync(next, `${folder}/app`);
  writeFileSync(stamp, key);
}

function contentOf(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** One hash over the names and contents of files and folders of the repository. */
function hashOf(paths) {
  const hash = createHash("sha256");
  const add = (path) => {
    const found = statSync(root + path, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.isDirectory()) for (const name of readdirSync(root + path).sort()) add(`${path}/${name}`);
    else if (!path.endsWith(".test.ts")) hash.update(`${path}\0`).update(readFileSync(root + path));
  };
  for (const path of paths) add(path);
  return hash.digest("hex");
}
