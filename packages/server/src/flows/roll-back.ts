// Deploys a past version again. Everything but the source of the content is a PUT: checks, tests, swap, and a new entry in the history.
import { masked } from "../masking/secret-headers.ts";
import { Refusal } from "../refusal.ts";
import type { FlowVersion, StoredParams, VersionFacts } from "./flow-store.ts";
import { installFlow, type IfMatch, type InstallOutcome } from "./install-flow.ts";
import type { FlowParts } from "./installed-flows.ts";
import { historyOf, versionOf } from "./version-views.ts";

export interface RollbackRequest {
  readonly id: string;
  readonly revision: number;
  readonly ifMatch: IfMatch | undefined;
  readonly dryRun: boolean;
  readonly testsRequired: boolean;
  readonly facts: VersionFacts;
}

export async function rollBack(parts: FlowParts, { id, revision, facts, ...request }: RollbackRequest): Promise<InstallOutcome> {
  const history = await historyOf(parts, id);
  const version = versionOf(id, history, revision);
  refuseLostSecrets(id, version, history.stored.params);
  const { bytes, params, tests } = version;
  return installFlow(parts, { id, bytes, params, tests, ...request, facts: { ...facts, restoredFrom: revision } });
}

/** The history does not contain values of secrets, so a secret parameter keeps its current value. A secret that was removed since has none. */
function refuseLostSecrets(id: string, { revision, params }: FlowVersion, current: StoredParams): void {
  for (const [name, value] of Object.entries(params)) {
    if (!isMasked(value)) continue;
    const kept = current[name];
    if (kept === undefined || !("secret" in kept) || kept.secret !== true)
      throw new Refusal(
        "flow-invalid",
        `revision ${revision} of flow '${id}' needs the secret parameter '${name}', whose value is not in the history: deploy the flow with this parameter first`,
      );
  }
}

const isMasked = (value: unknown): boolean => typeof value === "object" && value !== null && "secret" in value && "value" in value && value.value === masked;
