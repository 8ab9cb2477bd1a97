import { CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import type { ConnectionSummary } from "@sluice/client";
import { connectionStrings as words } from "../strings/connections.ts";
import { stateOf } from "./connection-draft.ts";

const styles = {
  up: { icon: CircleCheck, className: " chip--ok" },
  down: { icon: CircleAlert, className: " chip--fail" },
  broken: { icon: CircleAlert, className: " chip--fail" },
  idle: { icon: CircleDashed, className: "" },
} as const;

/** The state of a connection as an icon and a word. */
export function ConnectionStateChip({ connection }: { readonly connection: Pick<ConnectionSummary, "state" | "error"> }) {
  const state = stateOf(connection);
  const { icon: Icon, className } = styles[state];
  return (
    <span className={`chip${className}`}>
      <Icon size={14} aria-hidden="true" />
      {words.states[state]}
    </span>
  );
}
