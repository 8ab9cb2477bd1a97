// Masks the secrets of a flow per deployment, from before its start until its last run has ended. A draining old version and a rejected
// new one are tracked separately, so that neither unmasks the other.
import { DeployError, type Deployment, type DeployReport, type DrainReport, type Runtime, type Supervision } from "@sluice/engine";
import type { SecretValues } from "../masking/secret-values.ts";

export interface MaskedParts {
  readonly runtime: Runtime;
  readonly secrets: SecretValues;
}

/** Deploys a version with these secrets. */
export async function deployMasked(
  { runtime, secrets }: MaskedParts,
  deployment: Deployment,
  values: ReadonlySet<string>,
  supervision?: Supervision,
): Promise<DeployReport> {
  const previous = runtime.deployments.get(deployment.id);
  secrets.set(deployment, [...values]);
  try {
    const report = await runtime.deploy(deployment, supervision);
    const unmaskPrevious = (): void => void (previous !== undefined && secrets.set(previous, []));
    void report.drained.then(unmaskPrevious, unmaskPrevious);
    return report;
  } catch (error) {
    const unmask = (): void => secrets.set(deployment, []);
    if (error instanceof DeployError) {
      // The message may include a secret and is reported after the secrets are no longer masked.
      error.message = secrets.scrub(error.message);
      // A route that started before another route failed may have accepted messages.
      void error.ended.then(unmask, unmask);
    } else unmask();
    throw error;
  }
}

/** Undeploys a flow; its secrets are masked until it has drained. */
export async function undeployMasked({ runtime, secrets }: MaskedParts, id: string): Promise<DrainReport | undefined> {
  const deployment = runtime.deployments.get(id);
  try {
    return await runtime.undeploy(id);
  } finally {
    if (deployment !== undefined) secrets.set(deployment, []);
  }
}
