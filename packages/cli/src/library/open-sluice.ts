// An embedded runtime, built from the parts of the server.
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { configurationOf, errorCodes, ServiceError, SettingsError, startEmbeddedServer, type Configuration, type RunningServer } from "@sluice/server";
import { withCallerStack } from "./caller-stack.ts";
import { SluiceError } from "./sluice-error.ts";
import type { ApiReply, DeployedFlow, FlowSource, InvokeMessage, InvokeReply, Sluice, SluiceOptions } from "./sluice.ts";

export async function openSluice({ flows = {}, environment, onLog, ...settings }: SluiceOptions): Promise<Sluice> {
  if ("workers" in settings)
    throw new SettingsError(["option 'workers' is not supported: an embedded runtime runs in this process; use `sluice run --workers` for several workers"]);
  const configuration = configurationOf(settings, environment);
  const { dataDir } = settings;
  const temporaryDir = dataDir === undefined ? await mkdtemp(join(tmpdir(), "sluice-embedded-")) : undefined;
  const output = openSync(devNull, "w");
  const release = async (): Promise<void> => {
    closeSync(output);
    if (temporaryDir !== undefined) await rm(temporaryDir, { recursive: true, force: true });
  };
  const resolvedConfiguration: Configuration =
    temporaryDir === undefined ? configuration : { ...configuration, settings: { ...configuration.settings, dataDir: temporaryDir } };
  const embedding = { keepsFlows: temporaryDir === undefined, opensPort: settings.port !== undefined, onLog };
  const server = await startEmbeddedServer(resolvedConfiguration, output, embedding).catch((error: unknown) => release().then(() => Promise.reject(error)));
  return withFlows(sluiceOf(server, release), flows);
}

async function withFlows(sluice: Sluice, flows: NonNullable<SluiceOptions["flows"]>): Promise<Sluice> {
  try {
    for (const [id, flow] of Object.entries(flows)) await sluice.deploy(id, flow);
    return sluice;
  } catch (error) {
    await sluice.close();
    throw error;
  }
}

function sluiceOf(server: RunningServer, release: () => Promise<void>): Sluice {
  let closing: Promise<{ readonly drained: boolean }> | undefined;

  async function request(method: string, path: string, body?: unknown): Promise<ApiReply & { readonly code: string | undefined }> {
    if (!path.startsWith("/")) throw new SluiceError(`path '${path}' must start with '/', as in '/runs?limit=10'`, { status: 400 });
    const { status, headers, text } = await server.api(method, path, body);
    const isJson = headers["content-type"]?.startsWith("application/json") === true;
    return { status, body: isJson ? JSON.parse(text) : text, code: headers["x-error-code"] };
  }

  async function callOrThrow(method: string, path: string, body?: unknown): Promise<unknown> {
    const { status, code, body: reply } = await request(method, path, body);
    if (status < 400) return reply;
    throw new SluiceError((reply as { readonly error: string }).error, { status, code });
  }

  return {
    deploy(id, flow) {
      const source: FlowSource = typeof flow === "string" ? { yaml: flow } : flow;
      const query = source.tests === undefined ? "" : "?tests=required";
      return withCallerStack(callOrThrow("PUT", `/flows/${encodeURIComponent(id)}${query}`, source) as Promise<DeployedFlow>);
    },
    remove: (id) => withCallerStack(callOrThrow("DELETE", `/flows/${encodeURIComponent(id)}`).then(() => undefined)),
    invoke: (routeId, message = {}) => withCallerStack(closing === undefined ? invoke(server, routeId, message) : Promise.reject(shutdownError())),
    api: (method, path, body) => withCallerStack(request(method, path, body).then(({ status, body: reply }) => ({ status, body: reply }))),
    handler: server.handler,
    baseUrl: server.baseUrl === "" ? undefined : server.baseUrl,
    close() {
      closing ??= server
        .stop()
        .finally(release)
        .then(({ drained }) => ({ drained }));
      return closing;
    },
  };
}

const shutdownError = (): SluiceError => new SluiceError("the runtime is shutting down", { status: 503 });

async function invoke(server: RunningServer, routeId: string, message: InvokeMessage): Promise<InvokeReply> {
  const run = await server.invoke(routeId, message).catch((error: unknown) => {
    throw error instanceof ServiceError ? new SluiceError(error.message, { status: errorCodes[error.code].status, code: error.code }) : error;
  });
  const { runId, body, headers, error } = run;
  if (error !== null) throw new SluiceError(error.message, { status: 500, runId, stepId: error.stepId ?? undefined, type: error.type });
  return { runId, body, headers };
}
