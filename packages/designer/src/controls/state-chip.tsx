import type { DerivedState } from "../document/flow-state.ts";
import { strings } from "../strings.ts";
import { Chip } from "./chip.tsx";

const tones = { Draft: "idle", Deployed: "ok", Changed: "warn", Failed: "fail" } as const;

/** The state of a flow; gray when the runtime cannot confirm it. */
export function StateChip({ state, stale, error }: Pick<DerivedState, "state" | "stale" | "error">) {
  return (
    <Chip tone={tones[state]} isStale={stale} title={stale ? strings.states.stale : (error ?? strings.states.hint[state])}>
      {strings.states[state]}
    </Chip>
  );
}
