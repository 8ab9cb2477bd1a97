// `npm run test:node-versions`: runs the tests on every supported version of Node, one after another. Arguments are passed to `npm test`;
// NODE_VERSIONS selects other versions. The binaries come from npm and are removed afterwards.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { root } from "./run-command.mjs";

const versions = (process.env.NODE_VERSIONS ?? "20.19,22,24,26").split(",");
if (process.platform !== "linux") {
  console.error("This command needs Linux: the npm packages with Node binaries are for Linux. Install each Node version yourself and run `npm test` with it.");
  process.exit(1);
}
const packageName = `node-linux-${process.arch}`;
const folder = mkdtempSync(join(tmpdir(), "sluice-node-"));
const failed = [];
try {
  for (const version of versions) {
    const bin = install(version);
    const node = join(bin, "node");
    console.log(`\nNode ${spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim()}`);
    const environment = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const { status } = spawnSync(node, [join(root, "scripts/test.mjs"), ...process.argv.slice(2)], { cwd: root, stdio: "inherit", env: environment });
    if (status !== 0) failed.push(version);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed.length === 0 ? `\nPassed on Node ${versions.join(", ")}.` : `\nFailed on Node ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The folder with the binary of a version. */
function install(version) {
  const target = join(folder, version);
  mkdirSync(target);
  writeFileSync(join(target, "package.json"), "{}");
  const parameters = ["install", "--no-audit", "--no-fund", "--loglevel=error", `${packageName}@${version}`];
  const { status } = spawnSync("npm", parameters, { cwd: target, stdio: "inherit" });
  if (status === 0) return join(target, "node_modules", packageName, "bin");
  throw new Error(`Cannot install ${packageName}@${version} from npm: see the error above, or choose other versions with NODE_VERSIONS`);
}
