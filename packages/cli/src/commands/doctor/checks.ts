// The checks of `sluice doctor`. Each returns a finding and, for a problem, how to fix it.
import { randomBytes } from "node:crypto";
import { rm, statfs, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { loadPlugins, PluginError } from "@sluice/server/check";
import { clientParts, optionalParts, platformName, type ClientPart } from "@sluice/server/optional-parts";
import { ApiError, createClient, type Reply, type ReplyOf } from "@sluice/client";
import { CommandError } from "../../command/declaration.ts";
import type { Connection } from "../../runtime/connection.ts";

export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "problem";
  readonly text: string;
  readonly fix?: string;
}

/** Checks the platform and its optional parts. */
export function checkParts(settings: Parameters<typeof optionalParts>[0]): readonly Finding[] {
  const parts = optionalParts(settings).map(({ name, isAvailable, text, fix }): Finding => {
    const found = { check: name, state: isAvailable ? "ok" : "warning", text } as const;
    return fix === undefined ? found : { ...found, fix };
  });
  return [{ check: "platform", state: "ok", text: platformName() }, ...parts];
}

/** Checks the client packages of connectors. A missing package is not a problem: only flows that use the connector need it. */
export function checkClients(parts: readonly ClientPart[] = clientParts()): readonly Finding[] {
  const check = "clients";
  return parts.map(({ users, package: name, tested, installed, isTested, install }): Finding => {
    const use = users.join(", ");
    if (installed === undefined) return { check, state: "ok", text: `${name} is not installed; ${use} needs it: ${install}` };
    if (isTested) return { check, state: "ok", text: `${name} ${installed} (${use})` };
    return { check, state: "warning", text: `${name} ${installed} (${use}): its major version differs from the tested version ${tested}`, fix: install };
  });
}

/** Lists the contents of each SERVICE_CONNECTORS package, or why a runtime could not load it. */
export async function checkPlugins(settings: Parameters<typeof loadPlugins>[0]): Promise<readonly Finding[]> {
  const check = "connectors";
  try {
    const { packages } = await loadPlugins({ ...settings, functions: undefined });
    if (packages.length === 0) return [{ check, state: "ok", text: "no plug-ins configured (SERVICE_CONNECTORS)" }];
    return packages.map(({ name, version, ...added }) => {
      const parts = Object.entries(added).filter(([, names]) => names.length > 0);
      return { check, state: "ok", text: `${name} ${version}: ${parts.map(([kind, names]) => `${kind} ${names.join(", ")}`).join("; ")}` };
    });
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    return error.problems.map(({ message, fix }) => ({ check, state: "problem", text: message, fix }));
  }
}

export async function checkDirectory(directory: string): Promise<Finding> {
  const path = resolve(directory);
  const probe = join(path, `.doctor-${randomBytes(4).toString("hex")}`);
  try {
    await createFolder(path);
    await writeFile(probe, "x", { mode: 0o600 });
    await rm(probe);
    const { bavail, bsize } = await statfs(path);
    const mebibytes = Math.floor((Number(bavail) * Number(bsize)) / 1_048_576);
    if (mebibytes < 100)
      return {
        check: "data directory",
        state: "warning",
        text: `${path} has only ${mebibytes} MiB of free space`,
        fix: "free disk space, or choose another directory with SERVICE_DATA_DIR",
      };
    return { check: "data directory", state: "ok", text: `${path} is writable` };
  } catch (error) {
    return {
      check: "data directory",
      state: "problem",
      text: `${path} is not writable: ${(error as NodeJS.ErrnoException).code}`,
      fix: "give this user write permission, or choose another directory with SERVICE_DATA_DIR",
    };
  }
}

export async function checkPort(name: string, host: string, port: number, variable: string, isSluice: () => Promise<boolean>): Promise<Finding> {
  const check = `${name} port`;
  const code = await new Promise<string | undefined>((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
  if (code === undefined) return { check, state: "ok", text: `${host}:${port} is free` };
  if (code === "EADDRINUSE" && (await isSluice())) return { check, state: "ok", text: `${host}:${port} is used by Sluice` };
  return { check, state: "problem", text: `${host}:${port} cannot be used: ${code}`, fix: `set ${variable} to another port, or stop the process that uses it` };
}

/** Checks the runtime, its token, version and clock. `isExplicit`: the user named the runtime explicitly. */
export async function checkRuntime(connection: Connection, isExplicit: boolean, version: string): Promise<readonly Finding[]> {
  const { baseUrl } = connection;
  const otherServer: Finding = {
    check: "runtime",
    state: "problem",
    text: `the server at ${baseUrl} is not a Sluice runtime`,
    fix: "pass another URL with --runtime",
  };
  const sent = Date.now();
  const response = await fetchHealth(baseUrl, 5_000);
  if (response instanceof ApiError && response.status === 0) {
    const text = `no runtime at ${baseUrl} (${reasonOf(response)})`;
    return [{ check: "runtime", state: isExplicit ? "problem" : "warning", text, fix: "start one with `sluice start`, or pass another URL with --runtime" }];
  }
  // Another server may respond with anything.
  if (response instanceof ApiError || typeof response.body !== "object" || response.body === null || !("engineVersion" in response.body)) return [otherServer];
  const health = response.body;
  const findings: Finding[] = [
    health.status === "UP"
      ? { check: "runtime", state: "ok", text: `${baseUrl} is up` }
      : { check: "runtime", state: "warning", text: `${baseUrl} reports status ${health.status}`, fix: "see `sluice logs --level ERROR --replay 50`" },
  ];
  if (health.engineVersion !== version)
    findings.push({
      check: "version",
      state: "warning",
      text: `the runtime has version ${health.engineVersion}, but this command has version ${version}`,
      fix: "use the same version on both sides",
    });
  else findings.push({ check: "version", state: "ok", text: version });
  findings.push(await checkToken(connection), checkClock(response.headers.get("date"), sent, Date.now()));
  return findings;
}

/** The unauthenticated health response of a runtime, or the error. */
export function fetchHealth(baseUrl: string, timeoutMs: number): Promise<Reply<ReplyOf<"GET /health">> | ApiError> {
  return createClient({ baseUrl, timeoutMs })
    .request("GET /health")
    .catch((error: ApiError) => error);
}

function reasonOf({ cause }: ApiError): string {
  const { name, cause: inner } = cause as Error & { readonly cause?: NodeJS.ErrnoException };
  return inner?.code ?? name;
}

async function checkToken(connection: Connection): Promise<Finding> {
  try {
    await connection.call("GET /flows");
    return { check: "deploy token", state: "ok", text: "accepted" };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { check: "deploy token", state: "problem", text: error.message };
  }
}

/** Compares the clock of the runtime with this one. The Date header has a resolution of one second. */
export function checkClock(date: string | null, sent: number, received: number): Finding {
  const runtimeTime = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(runtimeTime))
    return { check: "clock", state: "warning", text: "the response has no Date header", fix: "make the proxy in front of the runtime forward the Date header" };
  const differenceMs = Math.max(0, runtimeTime - received, sent - (runtimeTime + 1_000));
  const text = differenceMs === 0 ? "in sync" : `${(differenceMs / 1_000).toFixed(1)} s difference`;
  return differenceMs <= 5_000
    ? { check: "clock", state: "ok", text }
    : { check: "clock", state: "warning", text, fix: "synchronize both clocks with NTP, or signatures and tokens with timestamps are rejected" };
}
