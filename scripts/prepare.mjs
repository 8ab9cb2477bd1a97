// Makes a fresh clone ready: installs what package-lock.json names and builds. Uses nothing but Node itself,
// because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command in the repository and ends this process when it fails. */
export function run(command, parameters, environment = {}) {
  const result = spawnSync(command, parameters, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...environment }, shell: process.platform === "win32" });
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

/** True when the lock file changed since the last install. */
function isInstallDue() {
  const marker = `${root}node_modules/.package-lock.json`;
  if (!existsSync(marker)) return true;
  return statSync(`${root}package-lock.json`).mtimeMs > statSync(marker).mtimeMs;
}

export function prepare() {
  assertNodeVersion();
  if (isInstallDue()) {
    console.error("Installing packages (first run takes about a minute) …");
    run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  }
  console.error("Building …");
  run(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-b"]);
}

export const version = JSON.parse(readFileSync(`${root}package.json`, "utf8")).version;
