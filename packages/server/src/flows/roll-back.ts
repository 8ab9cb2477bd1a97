// Deploys a past version again. Except for the source of the content, this works like a PUT: checks, tests, replacement, new entry in the
// history.
import { masked } from "../masking/secret-headers.ts";
import { ServiceError } from "../service-error.ts";
import type { FlowVersion, StoredParams, VersionMetadata } from "./flow-store.ts";
import type { Precondition } from "../precondition.ts";
import { installFlow, type InstallOutcome } from "./install-flow.ts";
import type { FlowParts } from "./installed-flows.ts";
import { historyOf, versionOf } from "./version-views.ts";

export interface RollbackRequest {
  readonly id: string;
  readonly revision: number;
  readonly precondition: Precondition;
  readonly dryRun: boolean;
  readonly testsRequired: boolean;
  readonly metadata: VersionMetadata;
}

export async function rollBack(parts: FlowParts, { id, revision, metadata, ...request }: RollbackRequest): Promise<InstallOutcome> {
  const history = await historyOf(parts, id);
  const version = versionOf(id, history, revision);
  rejectMissingSecrets(id, version, history.stored.params);
  const { bytes, params, tests } = version;
  return installFlow(parts, { id, bytes, params, tests, ...request, metadata: { ...metadata, restoredFrom: revision } });
}

/** Rejects a version with a secret parameter that has no current value: the history does not contain the values of secrets. */
function rejectMissingSecrets(id: string, { revision, params }: FlowVersion, current: StoredParams): void {
  for (const [name, value] of Object.entries(params)) {
    if (!isMasked(value)) continue;
    const param = current[name];
    if (param === undefined || !("secret" in param) || param.secret !== true)
      throw new ServiceError(
        "flow-invalid",
        `revision ${revision} of flow '${id}' needs the secret parameter '${name}', whose value is not in the history: deploy the flow with this parameter first`,
      );
  }
}

const isMasked = (value: unknown): boolean => typeof value === "object" && value !== null && "secret" in value && "value" in value && value.value === masked;
