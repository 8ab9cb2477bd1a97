// Derives the state of a flow from three facts, so that it cannot become inconsistent: the saved text, the running text, and the outcome of the last
// deployment.

export type FlowState = "Draft" | "Deployed" | "Changed" | "Failed";

export interface DeployRecord {
  readonly target: string;
  readonly outcome: "deployed" | "failed";
  readonly at: string;
  readonly hash: string;
  readonly deployedHash: string | null;
  readonly deployedAt: string | null;
  readonly error?: string;
}

export interface DerivedState {
  readonly state: FlowState;
  /** True when the runtime does not respond and the state is the last known one. */
  readonly stale: boolean;
  /** Time of the running deployment, by the clock of the runtime. */
  readonly deployedAt: string | null;
  /** Why the last deployment was rejected. */
  readonly error: string | undefined;
}

export interface StateDetails {
  readonly savedHash: string | undefined;
  readonly record: DeployRecord | undefined;
  /** The deployment in the runtime; null for none, undefined when the runtime does not respond. */
  readonly running: { readonly hash: string; readonly lastModified: string } | null | undefined;
}

export function deriveState({ savedHash, record, running }: StateDetails): DerivedState {
  const stale = running === undefined;
  const lastDeployment = record?.deployedHash != null ? { hash: record.deployedHash, lastModified: record.deployedAt ?? record.at } : null;
  const live = stale ? lastDeployment : running;
  const base = { stale, deployedAt: live?.lastModified ?? null };
  if (record?.outcome === "failed" && record.hash === savedHash && live?.hash !== savedHash) return { ...base, state: "Failed", error: record.error };
  if (live === null || savedHash === undefined) return { ...base, state: "Draft", error: undefined };
  return { ...base, state: live.hash === savedHash ? "Deployed" : "Changed", error: undefined };
}
