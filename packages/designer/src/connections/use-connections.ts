import { useCallback } from "react";
import type { ConnectionSummary } from "@sluice/client";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { usePolled, type Polled } from "../api-client/use-polled.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";

/** A request starts a check, whose result is in the reply to the next request: a stopped server is shown as down after at most two intervals. */
const pollMs = 4000;

/** The connections of the selected target with their current state. */
export function useConnections(): readonly [Polled<readonly ConnectionSummary[]>, () => void] {
  const target = useWorkspace((state) => state.target);
  const load = useCallback(
    () =>
      runtimeAt(target)
        .call("GET /connections")
        .then(({ connections }) => connections),
    [target],
  );
  return usePolled(target === undefined ? undefined : load, pollMs);
}
