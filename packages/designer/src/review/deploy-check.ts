// A dry run of a deployment on the runtime, and the tests of the workspace that the deployment affects.
import type { FlowDryRun } from "@sluice/client";
import { affectedTests, readFlowTests, type AffectedTest } from "@sluice/flow-tests/portable";
import { flowDifference, type FlowDifference } from "@sluice/model";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { workspaceClient } from "../api-client/workspace-client.ts";

export interface AffectedFileTest extends AffectedTest {
  readonly file: string;
}

export interface DeployCheck {
  /** The deployed text; undefined when the flow is not deployed. */
  readonly deployed: string | undefined;
  readonly deployedHash: string | null;
  readonly difference: FlowDifference | undefined;
  /** Undefined when the flow is not deployed, or the runtime would reject the text. */
  readonly webhooks: NonNullable<FlowDryRun["difference"]>["webhooks"] | undefined;
  readonly tests: readonly AffectedFileTest[];
  readonly warnings: readonly string[];
  /** Why the runtime would reject the text. */
  readonly rejection: string | undefined;
}

export async function checkDeploy(target: string, id: string, yaml: string): Promise<DeployCheck> {
  const runtime = runtimeAt(target);
  const flows = await runtime.call("GET /flows");
  const isDeployed = flows.flows.some((flow) => flow.id === id);
  const flow = isDeployed ? await runtime.call("GET /flows/:id", { params: { id } }) : undefined;
  const outcome = await runtime.call("PUT /flows/:id", { params: { id }, query: { dryRun: true }, body: { yaml } }).then(
    (reply) => ({ warnings: reply.warnings, rejection: undefined, webhooks: "dryRun" in reply ? reply.difference?.webhooks : undefined }),
    (error: Error) => ({ warnings: [], rejection: error.message, webhooks: undefined }),
  );
  const difference = flow === undefined ? undefined : flowDifference(flow.yaml, yaml, id);
  const tests = difference === undefined ? [] : await affectedFileTests(id, difference);
  return { deployed: flow?.yaml, deployedHash: flow?.hash ?? null, difference, tests, ...outcome };
}

async function affectedFileTests(id: string, difference: FlowDifference): Promise<readonly AffectedFileTest[]> {
  const files = await workspaceClient.tests(id).catch(() => []);
  return files.flatMap(({ id: file, text }) => {
    try {
      return affectedTests(readFlowTests(text), difference).map((test) => ({ ...test, file }));
    } catch {
      // A file that cannot be read is reported where tests are shown.
      return [];
    }
  });
}
