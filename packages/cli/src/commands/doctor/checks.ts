// The doctor's checks. Each tells what it found and, when something is in the way, what to do.
import { randomBytes } from "node:crypto";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { ApiError, createClient, type Answer, type ReplyOf } from "@sluice/client";
import { CommandError } from "../../command/declaration.ts";
import type { Connection } from "../../runtime/connection.ts";

export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "problem";
  readonly text: string;
  readonly fix?: string;
}

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isFine = major > 20 || (major === 20 && minor >= 19);
  return isFine
    ? { check: "Node", state: "ok", text: version }
    : { check: "Node", state: "problem", text: `${version} is too old`, fix: "install Node 20.19 or newer" };
}

export async function checkDirectory(directory: string): Promise<Finding> {
  const path = resolve(directory);
  const probe = join(path, `.doctor-${randomBytes(4).toString("hex")}`);
  try {
    await mkdir(path, { recursive: true });
    await writeFile(probe, "x", { mode: 0o600 });
    await rm(probe);
    const { bavail, bsize } = await statfs(path);
    const mebibytes = Math.floor((Number(bavail) * Number(bsize)) / 1_048_576);
    if (mebibytes < 100)
      return {
        check: "data directory",
        state: "warning",
        text: `${path} has ${mebibytes} MiB left`,
        fix: "make room, or choose another with SERVICE_DATA_DIR",
      };
    return { check: "data directory", state: "ok", text: `${path} can be written` };
  } catch (error) {
    return {
      check: "data directory",
      state: "problem",
      text: `${path} cannot be written: ${(error as NodeJS.ErrnoException).code}`,
      fix: "give this user the right to write, or choose another with SERVICE_DATA_DIR",
    };
  }
}

export async function checkPort(name: string, host: string, port: number, variable: string, isOurs: () => Promise<boolean>): Promise<Finding> {
  const check = `${name} port`;
  const code = await new Promise<string | undefined>((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
  if (code === undefined) return { check, state: "ok", text: `${host}:${port} is free` };
  if (code === "EADDRINUSE" && (await isOurs())) return { check, state: "ok", text: `${host}:${port} is served by Sluice` };
  return { check, state: "problem", text: `${host}:${port} cannot be used: ${code}`, fix: `set ${variable} to another port, or end what uses it` };
}

/** The runtime, its token, its version and its clock; `asked` when the user named it. */
export async function checkRuntime(connection: Connection, asked: boolean, version: string): Promise<readonly Finding[]> {
  const { baseUrl } = connection;
  const stranger: Finding = {
    check: "runtime",
    state: "problem",
    text: `what answers at ${baseUrl} is no Sluice runtime`,
    fix: "name another address with --runtime",
  };
  const sent = Date.now();
  const reply = await askHealth(baseUrl, 5_000);
  if (reply instanceof ApiError && reply.status === 0) {
    const text = `nobody answers at ${baseUrl} (${reasonOf(reply)})`;
    return [{ check: "runtime", state: asked ? "problem" : "warning", text, fix: "start one with `sluice start`, or name another with --runtime" }];
  }
  // Whoever listens there may say anything.
  if (reply instanceof ApiError || typeof reply.body !== "object" || reply.body === null || !("engineVersion" in reply.body)) return [stranger];
  const health = reply.body;
  const findings: Finding[] = [
    health.status === "UP"
      ? { check: "runtime", state: "ok", text: `${baseUrl} is up` }
      : { check: "runtime", state: "warning", text: `${baseUrl} says ${health.status}`, fix: "see `sluice logs --level ERROR --replay 50`" },
  ];
  if (health.engineVersion !== version)
    findings.push({
      check: "version",
      state: "warning",
      text: `the runtime is ${health.engineVersion}, this command ${version}`,
      fix: "use the same version on both sides",
    });
  else findings.push({ check: "version", state: "ok", text: version });
  findings.push(await checkToken(connection), checkClock(reply.headers.get("date"), sent, Date.now()));
  return findings;
}

/** What a runtime says of itself to anybody, or why it does not. */
export function askHealth(baseUrl: string, timeoutMs: number): Promise<Answer<ReplyOf<"GET /health">> | ApiError> {
  return createClient({ baseUrl, timeoutMs })
    .answer("GET /health")
    .catch((error: ApiError) => error);
}

function reasonOf({ cause }: ApiError): string {
  const { name, cause: inner } = cause as Error & { readonly cause?: NodeJS.ErrnoException };
  return inner?.code ?? name;
}

async function checkToken(connection: Connection): Promise<Finding> {
  try {
    await connection.call("GET /flows");
    return { check: "deploy token", state: "ok", text: "it is taken" };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { check: "deploy token", state: "problem", text: error.message };
  }
}

/** The runtime's clock against this one; a reply's date has whole seconds. */
export function checkClock(date: string | null, sent: number, received: number): Finding {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs))
    return { check: "clock", state: "warning", text: "the runtime tells no time", fix: "let the proxy in front of it pass the Date header on" };
  const ahead = Math.max(0, theirs - received, sent - (theirs + 1_000));
  const text = `the clocks are ${ahead === 0 ? "together" : `${(ahead / 1_000).toFixed(1)} s apart`}`;
  return ahead <= 5_000
    ? { check: "clock", state: "ok", text }
    : { check: "clock", state: "warning", text, fix: "set both clocks by NTP: signatures and tokens with times will be refused" };
}
