// Polls the runtime for metrics of the open flow while the page is visible and metrics are enabled.
import { useCallback, useEffect, useMemo, useState } from "react";
import { create } from "zustand";
import { allRunKinds, healthOf, runtimeAt } from "../api-client/runtime-client.ts";
import { useEditor, useEditorState } from "../editor/editor-context.ts";
import { usePolled } from "../api-client/use-polled.ts";
import { useStream } from "../api-client/use-stream.ts";
import { readSetting, useWorkspace, writeSetting } from "../workspace/workspace-store.ts";
import type { MetricDetails } from "./metric-details.ts";
import { stepMetrics } from "./step-metrics.ts";
import { TraceCounts } from "./trace-counts.ts";

const pollMs = 4_000;
/** Enough for a p95, small enough to poll. */
const maxRuns = 200;
const settingKey = "sluice.metrics";

/** Whether cards show metrics; stored in this browser. */
export const useMetricsSwitch = create<{ readonly isOn: boolean }>(() => ({ isOn: readSetting(settingKey) !== "off" }));

export function toggleMetrics(): void {
  const isOn = !useMetricsSwitch.getState().isOn;
  writeSetting(settingKey, isOn ? "on" : "off");
  useMetricsSwitch.setState({ isOn });
}

/** Keeps `details` up to date; renders nothing. */
export function LiveMetrics({ details }: { readonly details: MetricDetails }) {
  const { id } = useEditor();
  const isOn = useMetricsSwitch((state) => state.isOn);
  const target = useWorkspace((state) => state.target);
  const deployed = useWorkspace((state) => state.runtime.flows.get(id));
  const hash = deployed?.hash;
  const lastModified = deployed?.lastModified;
  const outline = useEditorState((state) => state.flow.lastValid?.outline);
  const load = useCallback(async () => {
    const [{ runs }, health] = await Promise.all([
      runtimeAt(target).call("GET /runs", { query: { flowId: id, kind: allRunKinds, limit: maxRuns } }),
      healthOf(target),
    ]);
    return { runs, health, target };
  }, [id, target]);
  const isEnabled = isOn && hash !== undefined && target !== undefined;
  const [polled] = usePolled(isEnabled ? load : undefined, pollMs);
  const metrics = useMemo(() => {
    const current = polled !== undefined && "value" in polled && polled.value.target === target ? polled.value : undefined;
    if (!isEnabled || hash === undefined || lastModified === undefined || current === undefined || outline === undefined) return undefined;
    return stepMetrics({ ...current, deployed: { hash, lastModified } }, outline);
  }, [polled, target, isEnabled, hash, lastModified, outline]);
  useEffect(() => details.show(metrics ?? new Map()), [details, metrics]);
  return isEnabled ? <TraceCounter key={hash} details={details} flowId={id} target={target} /> : null;
}

/** Counts trace events while metrics are enabled. */
function TraceCounter({ details, flowId, target }: { readonly details: MetricDetails; readonly flowId: string; readonly target: string }) {
  const { store } = useEditor();
  const [counts] = useState(() => new TraceCounts());
  const show = (): void => details.showCounts(counts.byCard(store.getState().flow.lastValid?.outline ?? { routes: [], entities: [] }));
  const query = useMemo(() => ({ flowId, type: ["step.completed", "step.failed", "run.completed", "run.failed"], body: "none" }) as const, [flowId]);
  useStream("GET /trace/stream", query, target, (event) => event.name === "trace" && counts.add(event.data), show);
  useEffect(() => () => details.showCounts(new Map()), [details]);
  return null;
}
