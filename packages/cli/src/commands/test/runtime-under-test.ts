// The runtime for tests: started in this process, or an existing one.
import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { httpTransport, installDocuments, installFlow, type FlowTestFile, type RuntimeTransport } from "@sluice/flow-tests";
import { CommandError } from "../../command/declaration.ts";
import { readParamsFile } from "../../files/flow-params.ts";
import { withProjectFolders } from "../../files/project-settings.ts";
import { readProjectProperties } from "../../files/project-properties.ts";
import { flowIdOf, readText } from "../../files/yaml-files.ts";
import { ifFound, type Connection } from "../../runtime/connection.ts";

export interface Subject {
  readonly flowId: string;
  /** The text under test. */
  readonly source: string;
  /** The source file; undefined for a deployed flow. */
  readonly file: string | undefined;
}

export interface RuntimeUnderTest {
  readonly transport: RuntimeTransport;
  /** Prepares the flow of a test file; throws if that fails. */
  prepare(testPath: string, file: FlowTestFile): Promise<Subject>;
  close(): Promise<void>;
}

/** An in-process runtime that only receives messages from tests. Kamelets, text files and connections are found next to the test files. */
export async function openTrial(profile: string | undefined, testPaths: readonly string[]): Promise<RuntimeUnderTest> {
  const { readConfiguration, startTrialServer } = await import("@sluice/server");
  const dataDir = await mkdtemp(join(tmpdir(), "sluice-test-"));
  const output = openSync(devNull, "w");
  const token = randomBytes(24).toString("hex");
  const { settings, environment } = readConfiguration({ profile });
  const server = await startTrialServer(
    {
      environment,
      settings: {
        ...settings,
        ...withProjectFolders(settings, testPaths),
        dataDir,
        deployToken: token,
        port: 0,
        host: "127.0.0.1",
        watch: false,
        testSessions: "isolated",
        drainMs: 500,
        // Every test queries its own runs; a short history keeps that fast.
        runHistoryTotal: 2_000,
        otlpEndpoint: undefined,
      },
    },
    output,
  );
  // Webhooks are called over HTTP, as by real clients; the management API is called in-process.
  const transport = { ...httpTransport(server.baseUrl, token), api: server.api };
  let installed: { readonly key: string; readonly subject: Subject } | undefined;

  const remove = async (): Promise<void> => {
    if (installed !== undefined) await transport.api("DELETE", `/flows/${installed.subject.flowId}`);
    installed = undefined;
  };

  return {
    transport,
    async prepare(testPath, file) {
      const path = file.flow === undefined ? join(dirname(testPath), `${file.flowId}.yaml`) : join(dirname(testPath), file.flow);
      const source = await readText(path).catch((error: Error) => {
        throw file.flow === undefined ? new CommandError(`flow '${file.flowId}' has no file '${path}': use --runtime to test a deployed flow`) : error;
      });
      const project = readProjectProperties({ profile: settings.profile ?? "dev", environment });
      const params = { ...(await project.paramsFor(path, source)), ...(await readParamsFile(path)), ...file.params };
      const key = JSON.stringify([resolve(path), source, params, file.valueMappings, file.messageMappings]);
      // Installed every time, because the files of the documents may have changed since the last run.
      await installDocuments(transport, file, (name) => readText(join(dirname(testPath), name)));
      if (installed?.key === key) return installed.subject;
      await remove();
      const subject = { flowId: flowIdOf(path), source, file: path };
      await installFlow(transport, subject.flowId, source, params);
      installed = { key, subject };
      return subject;
    },
    async close() {
      await server.stop();
      closeSync(output);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An existing runtime, whose deployed flows are tested. */
export function openRemote(connection: Connection): RuntimeUnderTest {
  return {
    transport: httpTransport(connection.baseUrl, connection.token),
    async prepare(testPath, file) {
      const flowId = file.flowId ?? flowIdOf(join(dirname(testPath), file.flow as string));
      const flow = await ifFound(connection.call("GET /flows/:id", { params: { id: flowId } }));
      if (flow === undefined) throw new CommandError(`flow '${flowId}' is not deployed at ${connection.baseUrl}: deploy it first with \`sluice deploy\``);
      return { flowId, source: flow.yaml, file: undefined };
    },
    close: async () => undefined,
  };
}
