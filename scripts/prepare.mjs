// Makes a fresh clone ready: installs what package-lock.json names and builds. Uses nothing but Node itself,
// because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the repository and ends this process when it fails. */
export function run(command, parameters, environment = {}) {
  const result = spawnSync(command, parameters, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environment },
    shell: process.platform === "win32",
  });
  if (result.status !== 0) {
    console.error(`${[command, ...parameters].join(" ")} failed${result.error === undefined ? "" : `: ${result.error.message}`}`);
    process.exit(result.status ?? 1);
  }
}

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Sluice needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const stamp = `${root}node_modules/.sluice-installed`;

/** What an install depends on, in one word. */
function installKey() {
  const manifests = ["package.json", "package-lock.json", ...readdirSync(`${root}packages`).map((name) => `packages/${name}/package.json`)];
  const hash = createHash("sha256");
  for (const path of manifests) if (existsSync(root + path)) hash.update(readFileSync(root + path));
  return hash.digest("hex");
}

function isInstallDue() {
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== installKey();
}

function install() {
  console.error("Installing packages (first run takes about a minute) …");
  // Not `npm ci`: it refuses lock files written on another platform, because they lack that platform's optional binaries.
  run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, installKey());
}

export function prepare() {
  assertNodeVersion();
  if (isInstallDue()) install();
  console.error("Building …");
  run(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-b"]);
  buildDesigner();
  bundleCommand();
}

/** Puts the command into one file, when the compiler wrote something since the last time. */
function bundleCommand() {
  if (createRequire(import.meta.url)("../packages/cli/bin/bundle.cjs").isCurrent()) return;
  console.error("Bundling the command …");
  run(process.execPath, [`${root}scripts/bundle.mjs`]);
}

/** Bundles the designer's page, when one of the sources it is made of is newer than the last bundle. */
export function buildDesigner() {
  const built = `${root}packages/designer/dist/app/index.html`;
  const sources = [
    "designer/src",
    "designer/public",
    "designer/index.html",
    "designer/vite.config.ts",
    "designer/package.json",
    "model/src",
    "engine/src",
    "standard/src",
    "mapping/src",
  ];
  if (existsSync(built) && Math.max(...sources.map((path) => newest(`${root}packages/${path}`))) < statSync(built).mtimeMs) return;
  console.error("Bundling the designer …");
  const next = `${root}packages/designer/dist/app.next`;
  run(process.execPath, [`${root}node_modules/vite/bin/vite.js`, "build", "--logLevel", "warn", "--outDir", next, `${root}packages/designer`], {
    NODE_ENV: "production",
  });
  // Put in place as a whole: a designer that starts meanwhile never sees half a page.
  rmSync(`${root}packages/designer/dist/app`, { recursive: true, force: true });
  renameSync(next, `${root}packages/designer/dist/app`);
}

function newest(path) {
  if (!existsSync(path)) return 0;
  const found = statSync(path);
  return found.isDirectory() ? Math.max(0, ...readdirSync(path).map((name) => newest(`${path}/${name}`))) : found.mtimeMs;
}

const version = JSON.parse(readFileSync(`${root}package.json`, "utf8")).version;
