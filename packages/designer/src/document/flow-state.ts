// The state of a flow follows from three facts, so it cannot drift: what is saved, what runs, and how the last deploy went.

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
  /** True when the runtime does not answer and the state is the last known one. */
  readonly stale: boolean;
  /** The runtime's time of the deployment that runs. */
  readonly deployedAt: string | null;
  /** Why the last deploy was refused. */
  readonly error: string | undefined;
}

export interface StateFacts {
  readonly savedHash: string | undefined;
  readonly record: DeployRecord | undefined;
  /** What the runtime says: its deployment, null for none, undefined when it does not answer. */
  readonly running: { readonly hash: string; readonly lastModified: string } | null | undefined;
}

export function deriveState({ savedHash, record, running }: StateFacts): DerivedState {
  const stale = running === undefined;
  const known = record?.deployedHash != null ? { hash: record.deployedHash, lastModified: record.deployedAt ?? record.at } : null;
  const live = stale ? known : running;
  const base = { stale, deployedAt: live?.lastModified ?? null };
  if (record?.outcome === "failed" && record.hash === savedHash && live?.hash !== savedHash) return { ...base, state: "Failed", error: record.error };
  if (live === null || savedHash === undefined) return { ...base, state: "Draft", error: undefined };
  return { ...base, state: live.hash === savedHash ? "Deployed" : "Changed", error: undefined };
}
