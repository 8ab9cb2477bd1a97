// Kills the process at every n-th system call during a PUT and during a DELETE. After a restart either the old or the new version is
// complete, and the new one if the 2xx was received. Needs strace and permission to trace.
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../sha256.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, replyFlow } from "../started-server.ts";
import { storedDocuments } from "./stored-documents.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
const calls = ["openat", "write", "pwrite64", "fsync", "fdatasync", "rename", "unlink", "close"];
const oldYaml = replyFlow("crash", "old");
const newYaml = replyFlow("crash", "new");

/** Kills the process at the n-th call of this kind from now on, in any thread. */
async function killAt(pid: number, name: string, nth: number): Promise<() => void> {
  const tracer = spawn("strace", ["-f", "-qq", "-p", String(pid), "-e", `trace=${name}`, "-e", `inject=${name}:signal=KILL:when=${nth}`, "-o", "/dev/null"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  // strace prints nothing when it has attached; the tracer pid in /proc shows that it has.
  for (let tries = 0; tries < 400; tries++) {
    if (/TracerPid:\s*[1-9]/.test(readFileSync(`/proc/${pid}/status`, "utf8"))) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return () => void tracer.kill("SIGKILL");
}

interface Outcome {
  readonly acknowledged: boolean;
}

async function crashDuring(
  server: SpawnedServer,
  name: string,
  nth: number,
  operation: (server: SpawnedServer) => Promise<{ status: number }>,
): Promise<Outcome> {
  const release = await killAt(server.pid, name, nth);
  const acknowledged = await operation(server).then(
    ({ status }) => status >= 200 && status < 300,
    () => false,
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  release();
  await server.end("SIGKILL").catch(() => undefined);
  return { acknowledged };
}

/** Increases n until an operation completes without a kill; fails when none does. */
async function sweep(
  name: string,
  prepare: (server: SpawnedServer) => Promise<unknown>,
  operation: (server: SpawnedServer) => Promise<{ status: number }>,
  check: (server: SpawnedServer, outcome: Outcome) => Promise<void>,
): Promise<void> {
  for (let nth = 1; nth <= 60; nth++) {
    const first = await spawnServer();
    await prepare(first);
    const outcome = await crashDuring(first, name, nth, operation);
    const restarted = await spawnServer({ dataDir: first.dataDir });
    try {
      await check(restarted, outcome);
    } finally {
      await restarted.end("SIGKILL");
      restarted.clean();
    }
    if (outcome.acknowledged) return;
  }
  expect.unreachable("the operation was killed each time");
}

const putOld = (server: SpawnedServer): Promise<unknown> => server.putFlow("crash", oldYaml);

describe.skipIf(!hasStrace)("kill -9 at every system call (needs strace)", () => {
  for (const name of calls) {
    it(`during a PUT, at each ${name}, leaves the old or the new version`, async () => {
      await sweep(
        name,
        putOld,
        (server) => server.putFlow("crash", newYaml),
        async (server, { acknowledged }) => {
          const listed = (await server.api("GET", "/flows")).json.flows;
          expect(listed).toHaveLength(1);
          const { hash, status } = listed[0];
          expect(status).toBe("Started");
          expect(acknowledged ? [sha256(newYaml)] : [sha256(oldYaml), sha256(newYaml)]).toContain(hash);
          expect((await call(server.baseUrl, "POST", "/api/crash", "")).text).toBe(hash === sha256(newYaml) ? "new" : "old");
          expect(readdirSync(join(server.dataDir, "routes"))).toEqual(["crash.yaml"]);
        },
      );
    }, 240_000);

    it(`during a DELETE, at each ${name}, leaves the old version or none`, async () => {
      await sweep(
        name,
        putOld,
        (server) => server.api("DELETE", "/flows/crash"),
        async (server, { acknowledged }) => {
          const listed = (await server.api("GET", "/flows")).json.flows;
          if (acknowledged) expect(listed).toEqual([]);
          else if (listed.length > 0) expect(listed[0]).toMatchObject({ hash: sha256(oldYaml), status: "Started" });
        },
      );
    }, 240_000);
  }

  for (const { noun, path, folder, file, versions } of storedDocuments.filter((document) => document.noun !== "flow")) {
    for (const name of ["write", "fsync", "rename"]) {
      it(`during the PUT of a ${noun}, at each ${name}, leaves the old or the new version`, async () => {
        let before = "";
        let after: string | null = null;
        await sweep(
          name,
          async (server) => {
            before = (await server.api("PUT", path, versions[0])).headers.get("etag") ?? "";
          },
          async (server) => {
            const reply = await server.api("PUT", path, versions[1]);
            after = reply.headers.get("etag");
            return reply;
          },
          async (server, { acknowledged }) => {
            const stored = await server.api("GET", path);
            expect(stored.status).toBe(200);
            if (acknowledged) expect(stored.headers.get("etag")).toBe(after);
            else expect(JSON.stringify(stored.json)).toMatch(stored.headers.get("etag") === before ? /old|\*\*\*/ : /new|\*\*\*/);
            expect(readdirSync(join(server.dataDir, folder))).toEqual([file]);
          },
        );
      }, 240_000);
    }

    for (const name of ["unlink", "fsync"]) {
      it(`during the DELETE of a ${noun}, at each ${name}, leaves the old version or none`, async () => {
        await sweep(
          name,
          (server) => server.api("PUT", path, versions[0]),
          (server) => server.api("DELETE", path),
          async (server, { acknowledged }) => expect(acknowledged ? [404] : [200, 404]).toContain((await server.api("GET", path)).status),
        );
      }, 240_000);
    }
  }
});
