// Runs a flow's tests before it is deployed: in a separate runtime in this process, with its own directory and port, that accepts only
// messages of the tests. The running version is not affected.
import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import {
  FlowTestFileError,
  httpTransport,
  installDocuments,
  installFlow,
  readFlowTests,
  runFlowTests,
  type FlowTestFile,
  type FlowTestResult,
  type RuntimeTransport,
} from "@sluice/flow-tests";
import type { KameletFiles } from "@sluice/engine";
import type { Configuration } from "../config.ts";
import type { FlowCandidate, TrialOutcome } from "../flows/installed-flows.ts";
import type { DocumentStore } from "../mappings/document-store.ts";
import type { ClusterStores } from "../other-nodes/cluster-view.ts";
import { ServiceError } from "../service-error.ts";

export interface TrialParts {
  readonly configuration: Configuration;
  /** In a cluster, the documents are not in the data directory. */
  readonly stores?: Pick<ClusterStores, "valueMappings" | "messageMappings" | "kamelets"> | undefined;
  /** Starts a runtime for a trial. */
  start(configuration: Configuration, output: number): Promise<TrialRuntime>;
}

/** A runtime for tests: its API is called in process, its webhooks over HTTP. */
interface TrialRuntime {
  readonly baseUrl: string;
  readonly api: RuntimeTransport["api"];
  stop(): Promise<unknown>;
}

const trialTimeoutMs = 60_000;
const documents = ["value-mappings", "message-mappings", "kamelets"];
const files = ["resources", "application.properties"];

/** Parses tests; throws a ServiceError with the location of the problem. */
export function readTests(id: string, text: string): FlowTestFile {
  try {
    const file = readFlowTests(text);
    if (file.flowId !== undefined && file.flowId !== id)
      throw new ServiceError("flow-invalid", `tests: the tests are for flow '${file.flowId}', not for flow '${id}'`);
    return file;
  } catch (error) {
    if (error instanceof FlowTestFileError) throw new ServiceError("flow-invalid", `tests: ${error.message.split("\n")[0]}`);
    throw error;
  }
}

/** Runs the tests; throws a ServiceError if one fails. */
export async function tryFlow(parts: TrialParts, candidate: FlowCandidate): Promise<TrialOutcome> {
  const file = readTests(candidate.id, candidate.tests);
  const directory = await mkdtemp(join(tmpdir(), "sluice-trial-"));
  const output = openSync(devNull, "w");
  try {
    const { profile, dataDir } = parts.configuration.settings;
    const copied = [...(parts.stores === undefined ? documents : []), ...files, ...(profile === undefined ? [] : [`application-${profile}.properties`])];
    for (const name of copied) await cp(join(dataDir, name), join(directory, name), { recursive: true }).catch(ignoreMissing);
    if (parts.stores !== undefined) {
      await writeDocuments(parts.stores.valueMappings, join(directory, "value-mappings"));
      await writeDocuments(parts.stores.messageMappings, join(directory, "message-mappings"));
      await writeKamelets(parts.stores.kamelets, join(directory, "kamelets"));
    }
    const token = randomBytes(24).toString("hex");
    const runtime = await parts.start(trialConfiguration(parts.configuration, directory, token), output);
    try {
      const results = await withTimeLimit(() => runAll({ ...httpTransport(runtime.baseUrl, token), api: runtime.api }, candidate, file));
      return outcomeOf(candidate.id, results);
    } finally {
      await runtime.stop();
    }
  } finally {
    closeSync(output);
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeDocuments(store: DocumentStore, directory: string): Promise<void> {
  await createFolder(directory);
  for (const document of await store.list()) if ("value" in document) await writeFile(join(directory, `${document.id}.json`), JSON.stringify(document.value));
}

async function writeKamelets(store: KameletFiles, directory: string): Promise<void> {
  await createFolder(directory);
  for (const name of store.names()) await writeFile(join(directory, `${name}.kamelet.yaml`), store.find(name)?.text ?? "");
}

/** The configuration of the runtime, isolated: not reachable from outside, and without exporting spans. */
function trialConfiguration({ settings, environment }: Configuration, dataDir: string, deployToken: string): Configuration {
  return {
    environment,
    settings: {
      ...settings,
      dataDir,
      deployToken,
      port: 0,
      host: "127.0.0.1",
      watch: false,
      testSessions: "isolated",
      otlpEndpoint: undefined,
      drainMs: 500,
      logLevel: "info",
    },
  };
}

async function runAll(transport: RuntimeTransport, { id, source, params }: FlowCandidate, file: FlowTestFile): Promise<readonly FlowTestResult[]> {
  const readFile = (path: string): Promise<string> =>
    Promise.reject(new ServiceError("flow-invalid", `tests: the file '${path}' is not available: put its content into the tests`));
  try {
    await installDocuments(transport, file, readFile);
    await installFlow(transport, id, source, { ...params, ...file.params });
  } catch (error) {
    throw error instanceof ServiceError ? error : new ServiceError("flow-invalid", `tests: ${(error as Error).message}`);
  }
  return runFlowTests(transport, file, { readFile });
}

async function withTimeLimit<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ServiceError("tests-failed", `the tests did not finish within ${trialTimeoutMs} ms`)), trialTimeoutMs);
  });
  return Promise.race([work(), timeout]).finally(() => clearTimeout(timer));
}

function outcomeOf(id: string, results: readonly FlowTestResult[]): TrialOutcome {
  const failed = results.filter(({ failures }) => failures.length > 0);
  const [first] = failed;
  if (first !== undefined)
    throw new ServiceError(
      "tests-failed",
      `${failed.length} of ${results.length} tests of flow '${id}' failed: '${first.name}' (line ${first.line}): ${first.failures[0]}`,
    );
  return { passed: results.length };
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
