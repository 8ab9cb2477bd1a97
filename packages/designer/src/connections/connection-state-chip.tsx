import type { ConnectionSummary } from "@sluice/client";
import { Chip } from "../controls/chip.tsx";
import { connectionStrings as labels } from "../strings/connections.ts";
import { stateOf } from "./connection-draft.ts";

const tones = { up: "ok", down: "fail", invalid: "fail", idle: "idle" } as const;

export function ConnectionStateChip({ connection }: { readonly connection: Pick<ConnectionSummary, "state" | "error"> }) {
  const state = stateOf(connection);
  return <Chip tone={tones[state]}>{labels.states[state]}</Chip>;
}
