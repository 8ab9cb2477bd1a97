// Versions of Node as npm packages, which exist for Linux.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

/** Installs a version below a folder unless this process runs on it; resolves with the path of the binary. */
export async function installNode(version, folder) {
  if (version === process.versions.node) return process.execPath;
  if (process.platform !== "linux")
    throw new Error(`The npm packages with Node binaries are for Linux: install Node ${version} yourself and run \`npm test\` with it`);
  const name = `node-linux-${process.arch}`;
  const target = join(folder, `node-${version}`);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), "{}");
  await promisify(execFile)("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error", `${name}@${version}`], { cwd: target });
  return join(target, "node_modules", name, "bin/node");
}

/** The environment in which `node`, `npm` and everything they start use this binary. */
export function environmentOf(node) {
  const path = `${join(node, "..")}${delimiter}${process.env.PATH}`;
  // Variables of a test run or of an npm script would select the version and the settings of the caller.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:npm_|VITEST|NODE_ENV$|TEST$|SERVICE_|SLUICE_)/.test(name));
  return { ...Object.fromEntries(inherited), PATH: path };
}
