import { CircleAlert, CircleCheck, CircleDashed, CircleDot } from "lucide-react";
import type { DerivedState } from "../document/flow-state.ts";
import { strings } from "../strings.ts";

const styles = {
  Draft: { icon: CircleDashed, className: "" },
  Deployed: { icon: CircleCheck, className: " chip--ok" },
  Changed: { icon: CircleDot, className: " chip--warn" },
  Failed: { icon: CircleAlert, className: " chip--fail" },
} as const;

/** The state as an icon and a word; gray when the runtime cannot confirm it. */
export function StateChip({ state, stale, error }: Pick<DerivedState, "state" | "stale" | "error">) {
  const { icon: Icon, className } = styles[state];
  const hint = stale ? strings.states.stale : (error ?? strings.states.hint[state]);
  return (
    <span className={`chip${stale ? " chip--stale" : className}`} title={hint}>
      <Icon size={14} aria-hidden="true" />
      {strings.states[state]}
    </span>
  );
}
