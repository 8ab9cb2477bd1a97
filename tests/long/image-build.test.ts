// Builds what the image contains, without a container engine: the commands of each stage of the Dockerfile run in a folder of their own; then the entry
// point is started. The base image itself (its Node, its user) is not tested.
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCopy, readDockerfile, textsOf, type Stage } from "../dockerfile.ts";
import { unreachableReason } from "../npm-install.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sluice-image-"));
const stages = readDockerfile(join(root, "Dockerfile"));
const final = stages.at(-1) as Stage;
const folderOf = (stage: string): string => join(folder, stage);
const image = folderOf("image");
const run = promisify(execFile);
let skipReason: string | undefined;

beforeAll(async () => {
  const { stdout } = await run("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, maxBuffer: 64 << 20 });
  const files = stdout.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
  for (const stage of stages) {
    skipReason = await buildStage(stage, files);
    if (skipReason !== undefined) return;
  }
  // Installs and builds everything from nothing.
}, 1_800_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the instructions of a stage; returns why that is not possible when the registry cannot be reached. */
async function buildStage(stage: Stage, files: readonly string[]): Promise<string | undefined> {
  const target = folderOf(stage.name ?? "image");
  mkdirSync(join(target, "app"), { recursive: true });
  for (const { keyword, text } of stage.instructions) {
    if (keyword === "COPY") copy(text, target, files);
    if (keyword !== "RUN") continue;
    // The folders of the image are below the stage's folder; its user does not exist here.
    const command = text.replaceAll(/ && chown \S+ \S+/g, "").replaceAll(/(?<= )\/data\b/g, `${target}/data`);
    const failed = await run("sh", ["-ec", command], { cwd: join(target, "app"), env: cleanEnvironment(), maxBuffer: 64 << 20 }).then(
      () => undefined,
      (error: { readonly stderr: string }) => error,
    );
    if (failed === undefined) continue;
    const reason = unreachableReason(failed.stderr);
    if (reason === undefined) throw failed;
    return reason;
  }
  return undefined;
}

function copy(text: string, target: string, files: readonly string[]): void {
  const { from, sources, target: to } = parseCopy(text);
  for (const source of sources) {
    const isFolder = to.endsWith("/") || sources.length > 1;
    if (from !== undefined) {
      cpSync(join(folderOf(from), source), resolve(target, "app", to), { recursive: true, verbatimSymlinks: true });
      continue;
    }
    for (const file of files.filter((name) => name === source || name.startsWith(`${source}/`))) {
      const path = file === source ? (isFolder ? join(to, file.slice(file.lastIndexOf("/") + 1)) : to) : join(to, file.slice(source.length));
      mkdirSync(dirname(join(target, "app", path)), { recursive: true });
      cpSync(join(root, file), join(target, "app", path));
    }
  }
}

/** Without the variables of the npm script and the test run that started this file. */
const cleanEnvironment = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: process.env["HOME"] });

/** The words of the exec form of an instruction, with the paths of this machine. */
const commandOf = (text: string): readonly string[] =>
  (JSON.parse(text.slice(text.indexOf("["))) as readonly string[]).map((word) =>
    word === "node" ? process.execPath : word.replace(/^\/app/, join(image, "app")),
  );

const sizeOf = (path: string): number =>
  statSync(path).isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : statSync(path).size;

describe("the image (needs the npm registry)", () => {
  it("contains the command and its dependencies, and nothing else", ({ skip }) => {
    skip(skipReason !== undefined, skipReason);
    expect(readdirSync(image).toSorted()).toEqual(["app", "data"]);
    const packages = readdirSync(join(image, "app/sluice/node_modules"));
    expect(packages).toEqual(expect.arrayContaining(["pg", "kafkajs"]));
    expect(packages.filter((name) => /^(?:vite|rolldown|typescript|@sluice|@photostructure|sluice)$/.test(name))).toEqual([]);
    expect(sizeOf(join(image, "app"))).toBeLessThan(32 * 1024 ** 2);
  });

  it("starts with its entry point, reports its health, and ends with 0 on its stop signal", async ({ skip }) => {
    skip(skipReason !== undefined, skipReason);
    const port = String(await freePort());
    const settings = { SERVICE_PORT: port, SERVICE_DATA_DIR: join(image, "data"), SERVICE_DEPLOY_TOKEN: "secret", NODE_ENV: "production" };
    const env = { ...cleanEnvironment(), ...settings };
    const [command, ...parameters] = [...commandOf(textsOf(final, "ENTRYPOINT")[0] as string), ...commandOf(textsOf(final, "CMD")[0] as string)];
    const [check, ...checkParameters] = commandOf((textsOf(final, "HEALTHCHECK")[0] as string).replace(/^.*CMD /, ""));
    const isHealthy = (): Promise<boolean> =>
      run(check as string, checkParameters, { env }).then(
        () => true,
        () => false,
      );
    expect(await isHealthy()).toBe(false);
    const child = spawn(command as string, parameters, { cwd: join(image, "app"), env, stdio: "ignore" });
    const ended = new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal)));
    try {
      await expect.poll(isHealthy).toBe(true);
    } finally {
      child.kill(textsOf(final, "STOPSIGNAL")[0] as NodeJS.Signals);
    }
    expect(await ended).toBe(0);
  });

  it("is the base of an image with more client packages, which the runtime finds", async ({ skip }) => {
    skip(skipReason !== undefined, skipReason);
    const [derived] = readDockerfile(join(root, "deploy/cluster/Dockerfile")) as [Stage];
    const app = join(image, "app");
    await run("sh", ["-ec", textsOf(derived, "RUN")[0] as string], { cwd: app, env: { ...cleanEnvironment(), NODE_ENV: "production" } });
    const { stdout } = await run(process.execPath, [join(app, "sluice/bin/sluice.cjs"), "doctor"], { cwd: app, env: cleanEnvironment() }).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toContain("@nats-io/jetstream 3.3.1 (nats)");
    expect(stdout).toContain("pg 8.23.1");
  });
});
