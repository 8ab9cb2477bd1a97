// The order of writes, a full disk, and a read-only disk. Needs root, strace and permission to mount.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, replyFlow } from "../started-server.ts";
import { storedDocuments, newKey, oldKey } from "./stored-documents.ts";
import { unexpectedOutput } from "../unexpected-output.ts";

const isRoot = process.getuid?.() === 0;
const hasStrace = spawnSync("strace", ["-V"]).status === 0;
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) cleanUp();
});

/** How many times a process is killed at the moment of a 2xx, for each kind of document. */
const kills = Number(process.env["SLUICE_KILLS"] ?? 5);

const fileCalls = "openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,sendto,sendmsg,writev,close";

/** The system calls of a process during an operation, in order; descriptors are replaced by their files or sockets. */
async function systemCalls(server: SpawnedServer, operation: () => Promise<{ status: number }>): Promise<readonly string[]> {
  const log = join(server.dataDir, "..", `strace-${server.pid}.log`);
  const tracer = spawn("strace", ["-f", "-y", "-qq", "-s", "200", "-p", String(server.pid), "-e", `trace=${fileCalls}`, "-o", log], { stdio: "ignore" });
  for (let tries = 0; tries < 1_000 && !/TracerPid:\s*[1-9]/.test(readFileSync(`/proc/${server.pid}/status`, "utf8")); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const { status } = await operation();
  expect(status).toBeLessThan(300);
  await new Promise((resolve) => setTimeout(resolve, 300));
  tracer.kill("SIGINT");
  await new Promise((resolve) => tracer.once("exit", resolve));
  const lines = readFileSync(log, "utf8").split("\n");
  rmSync(log, { force: true });
  return joinInterrupted(lines);
}

/** Calls interrupted by another thread are listed where they ended, which is when they took effect. */
function joinInterrupted(lines: readonly string[]): readonly string[] {
  const started = new Map<string, string>();
  const complete: string[] = [];
  for (const line of lines) {
    const thread = /^\d+/.exec(line)?.[0] ?? "";
    const unfinished = /^\d+\s+(.*?)\s*<unfinished \.\.\.>$/.exec(line);
    const resumed = /^\d+\s+<\.\.\. \w+ resumed>(.*)$/.exec(line);
    if (unfinished !== null) started.set(thread, unfinished[1] as string);
    else if (resumed !== null) complete.push((started.get(thread) ?? "") + (resumed[1] as string));
    else complete.push(line.replace(/^\d+\s+/, ""));
  }
  return complete;
}

const find = (calls: readonly string[], from: number, pattern: RegExp): number => calls.findIndex((line, index) => index >= from && pattern.test(line));
const reply = /^(?:write|writev|sendto|sendmsg)\(\d+<(?:TCP|socket).*HTTP\/1\.1 20[01]/;

describe.skipIf(!hasStrace)("the order of system calls (needs strace)", () => {
  for (const { noun, path, folder, file, versions } of storedDocuments) {
    it(`PUT of a ${noun} writes a temporary file, flushes, renames, flushes the directory, and only then responds`, async () => {
      const server = await spawnServer();
      cleanUps.push(() => server.clean());
      try {
        expect((await server.api("PUT", path, versions[0])).status).toBe(201);
        const calls = await systemCalls(server, () => server.api("PUT", path, versions[1]));
        const target = `${folder}/${file}`.replaceAll(/[./-]/g, "\\$&");
        const written = find(calls, 0, new RegExp(`^(?:write|pwrite64)\\(\\d+<[^>]*/${folder}/\\.[^>]*\\.tmp>`));
        const flushed = find(calls, written, new RegExp(`^(?:fsync|fdatasync)\\(\\d+<[^>]*/${folder}/\\.[^>]*\\.tmp>\\)\\s*= 0`));
        const renamed = find(calls, flushed, new RegExp(`^rename.*\\.tmp".*${target}".*= 0`));
        const directory = find(calls, renamed, new RegExp(`^fsync\\(\\d+<[^>]*/${folder}>\\)\\s*= 0`));
        const responded = find(calls, 0, reply);
        expect({ written, flushed, renamed, directory, responded, calls }).toSatisfy(
          () => written >= 0 && flushed > written && renamed > flushed && directory > renamed && responded > directory,
        );
      } finally {
        await server.end("SIGKILL");
      }
    }, 120_000);

    it(`DELETE of a ${noun} unlinks, flushes the directory, and only then responds`, async () => {
      const server = await spawnServer();
      cleanUps.push(() => server.clean());
      try {
        expect((await server.api("PUT", path, versions[0])).status).toBe(201);
        const calls = await systemCalls(server, () => server.api("DELETE", path));
        const unlinked = find(calls, 0, new RegExp(`^unlink.*/${folder}/${file.replace(".", "\\.")}".*= 0`));
        const directory = find(calls, unlinked, new RegExp(`^fsync\\(\\d+<[^>]*/${folder}>\\)\\s*= 0`));
        const responded = find(calls, 0, reply);
        expect({ unlinked, directory, responded, calls }).toSatisfy(() => unlinked >= 0 && directory > unlinked && responded > directory);
      } finally {
        await server.end("SIGKILL");
      }
    }, 120_000);

    it(
      `a ${noun} still exists after kill -9 at the moment of its 2xx`,
      async () => {
        let dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
        cleanUps.push(() => rmSync(dataDir, { recursive: true, force: true }));
        for (let round = 0; round < kills; round++) {
          const server = await spawnServer({ dataDir });
          const put = await server.api("PUT", path, versions[round % 2]);
          await server.end("SIGKILL");
          expect(put.status).toBe(round === 0 ? 201 : 200);
          const restarted = await spawnServer({ dataDir });
          ({ dataDir } = restarted);
          const stored = await restarted.api("GET", path);
          expect([stored.status, stored.headers.get("etag")]).toEqual([200, put.headers.get("etag")]);
          await restarted.end("SIGKILL");
        }
      },
      240_000 + kills * 20_000,
    );
  }
});

/** A small separate file system that is removed after the test. */
function smallDisk(size: string): string {
  const directory = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory]).status).toBe(0);
  cleanUps.push(() => {
    spawnSync("umount", ["-l", directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

describe.skipIf(!isRoot)("a disk that rejects writes (needs root)", () => {
  it("a full disk causes 507, the old version stays intact, nothing is left over, and it works again with free space", async () => {
    const dataDir = smallDisk("256k");
    const server = await spawnServer({ dataDir });
    try {
      for (const { path, versions } of storedDocuments) expect([path, (await server.api("PUT", path, versions[0])).status]).toEqual([path, 201]);
      const before = storedDocuments.map(({ folder, file }) => readFileSync(join(dataDir, folder, file), "utf8"));
      const ballast = join(dataDir, "ballast");
      fill(ballast);
      for (const { path, versions } of storedDocuments) {
        const full = await server.api("PUT", path, versions[1]);
        expect([path, full.status, Object.keys(full.json)]).toEqual([path, 507, ["error"]]);
        expect(full.json.error).not.toContain(dataDir);
      }
      expect(storedDocuments.map(({ folder, file }) => readFileSync(join(dataDir, folder, file), "utf8"))).toEqual(before);
      for (const { folder } of storedDocuments) expect(readdirSync(join(dataDir, folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      expect((await server.api("GET", "/flows/kept")).json.yaml).toContain("old");
      expect((await call(server.baseUrl, "POST", "/api/kept", "x", { "x-api-key": oldKey })).text).toBe("old");
      rmSync(ballast);
      for (const { path, versions } of storedDocuments) expect([path, (await server.api("PUT", path, versions[1])).status]).toEqual([path, 200]);
      expect((await call(server.baseUrl, "POST", "/api/kept", "x", { "x-api-key": newKey })).text).toBe("new");
      expect(server.output()).not.toMatch(unexpectedOutput);
    } finally {
      await server.end("SIGKILL");
    }
  }, 120_000);

  it("on a full disk no dead letter is lost, changing one fails with 507, and it works again with free space", async () => {
    const dataDir = smallDisk("3m");
    const server = await spawnServer({ dataDir });
    const deadLetters = async (): Promise<{ id: string }[]> => (await server.api("GET", "/dead-letters")).json.deadLetters;
    try {
      const yaml =
        "- errorHandler: {deadLetterChannel: sluice:dead-letters}\n- route: {id: f, from: {uri: webhook, steps: [{throwException: {exceptionType: java.io.IOException, message: down}}]}}\n";
      expect((await server.putFlow("f", yaml)).status).toBe(201);
      for (const body of ["a", "b", "c"]) expect((await call(server.baseUrl, "POST", "/api/f", body)).status).toBe(200);
      const [first] = await deadLetters();
      fill(join(dataDir, "ballast"));
      expect((await call(server.baseUrl, "POST", "/api/f", "y".repeat(300_000))).status).toBe(500);
      for (const [method, path] of [
        ["DELETE", `/dead-letters/${first?.id}`],
        ["DELETE", "/dead-letters?routeId=f"],
        ["POST", `/dead-letters/${first?.id}/replay`],
      ] as const) {
        const refused = await server.api(method, path);
        expect([path, refused.status, refused.json]).toEqual([path, 507, { error: "no space left to change the dead letters" }]);
      }
      expect(await deadLetters()).toHaveLength(3);
      rmSync(join(dataDir, "ballast"));
      expect((await server.api("DELETE", `/dead-letters/${first?.id}`)).status).toBe(200);
      expect((await call(server.baseUrl, "POST", "/api/f", "d")).status).toBe(200);
      expect(await deadLetters()).toHaveLength(3);
    } finally {
      await server.end("SIGKILL");
    }
  }, 120_000);

  it("a disk that becomes read-only causes 500, and existing flows are still served", async () => {
    const dataDir = smallDisk("8m");
    const server = await spawnServer({ dataDir });
    try {
      for (const { path, versions } of storedDocuments) expect((await server.api("PUT", path, versions[0])).status).toBe(201);
      expect(spawnSync("mount", ["-o", "remount,ro", dataDir]).status).toBe(0);
      for (const { path, versions } of storedDocuments) {
        for (const refused of [await server.api("PUT", path, versions[1]), await server.api("DELETE", path)]) {
          expect([path, refused.status, Object.keys(refused.json)]).toEqual([path, 500, ["error"]]);
          expect(refused.json.error).toMatch(/read-only/);
        }
      }
      expect((await call(server.baseUrl, "POST", "/api/kept", "x", { "x-api-key": oldKey })).text).toBe("old");
      expect(spawnSync("mount", ["-o", "remount,rw", dataDir]).status).toBe(0);
      expect((await server.api("PUT", "/flows/kept", storedDocuments[0]?.versions[1])).status).toBe(200);
    } finally {
      await server.end("SIGKILL");
    }
  }, 120_000);

  it("a directory with another owner is served, and changes to it fail with 500", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    cleanUps.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const routes = join(dataDir, "routes");
    mkdirSync(routes);
    writeFileSync(join(routes, "kept.yaml"), replyFlow("kept", "old"));
    chownSync(dataDir, 65_534, 65_534);
    chmodSync(dataDir, 0o755);
    chmodSync(routes, 0o555);
    const server = await spawnServer({ dataDir, under: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] });
    try {
      expect((await call(server.baseUrl, "POST", "/api/kept", "x")).text).toBe("old");
      for (const refused of [
        await server.api("PUT", "/flows/kept", { yaml: replyFlow("kept", "new") }),
        await server.api("DELETE", "/flows/kept"),
        await server.api("PUT", "/flows/fresh", { yaml: replyFlow("fresh", "x") }),
      ])
        expect([refused.status, refused.json.error]).toEqual([500, expect.stringMatching(/^cannot change '.*': permission denied in the data directory$/)]);
      expect((await call(server.baseUrl, "POST", "/api/kept", "x")).text).toBe("old");
      expect((await call(server.baseUrl, "POST", "/api/fresh", "x")).status).toBe(404);
      expect(statSync(join(routes, "kept.yaml")).size).toBe(replyFlow("kept", "old").length);
    } finally {
      await server.end("SIGKILL");
    }
  }, 120_000);
});

/** Writes until the disk is full. */
function fill(path: string): void {
  for (const size of [65_536, 4_096]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    }
  }
}
