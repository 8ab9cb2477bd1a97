// Asks the runtime every few seconds how the open flow does, while the page is seen and the figures are wanted.
import { useCallback, useEffect, useMemo, useState } from "react";
import { create } from "zustand";
import { healthOf, runtimeAt } from "../api-client/runtime-client.ts";
import { useEditor, useEditorState } from "../screens/editor/editor-context.ts";
import { usePolled } from "../screens/use-polled.ts";
import { useStream } from "../screens/use-stream.ts";
import { readSetting, useWorkspace, writeSetting } from "../workspace/workspace-store.ts";
import type { FiguresFacts } from "./figures-facts.ts";
import { stepFigures } from "./step-figures.ts";
import { TraceCounts } from "./trace-counts.ts";

const everyMs = 4_000;
/** Enough for a p95, little enough to ask for again and again. */
const mostRuns = 200;
const settingKey = "sluice.figures";

/** Whether cards show figures; kept in this browser. */
export const useFiguresSwitch = create<{ readonly isOn: boolean }>(() => ({ isOn: readSetting(settingKey) !== "off" }));

export function switchFigures(): void {
  const isOn = !useFiguresSwitch.getState().isOn;
  writeSetting(settingKey, isOn ? "on" : "off");
  useFiguresSwitch.setState({ isOn });
}

/** Keeps `facts` up to date; draws nothing itself. */
export function LiveFigures({ facts }: { readonly facts: FiguresFacts }) {
  const { id } = useEditor();
  const isOn = useFiguresSwitch((state) => state.isOn);
  const target = useWorkspace((state) => state.target);
  const deployed = useWorkspace((state) => state.runtime.flows.get(id));
  const hash = deployed?.hash;
  const lastModified = deployed?.lastModified;
  const outline = useEditorState((state) => state.flow.good?.outline);
  const load = useCallback(async () => {
    const [{ runs }, health] = await Promise.all([runtimeAt(target).call("GET /runs", { query: { flowId: id, limit: mostRuns } }), healthOf(target)]);
    return { runs, health, target };
  }, [id, target]);
  const isAsked = isOn && hash !== undefined && target !== undefined;
  const [polled] = usePolled(isAsked ? load : undefined, everyMs);
  const figures = useMemo(() => {
    const told = polled !== undefined && "value" in polled && polled.value.target === target ? polled.value : undefined;
    if (!isAsked || hash === undefined || lastModified === undefined || told === undefined || outline === undefined) return undefined;
    return stepFigures({ ...told, deployed: { hash, lastModified } }, outline);
  }, [polled, target, isAsked, hash, lastModified, outline]);
  useEffect(() => facts.show(figures ?? new Map()), [facts, figures]);
  return isAsked ? <FollowedTrace key={hash} facts={facts} flowId={id} target={target} /> : null;
}

/** Counts what the runtime traces while the figures are wanted. */
function FollowedTrace({ facts, flowId, target }: { readonly facts: FiguresFacts; readonly flowId: string; readonly target: string }) {
  const { store } = useEditor();
  const [counts] = useState(() => new TraceCounts());
  const show = (): void => facts.saw(counts.byCard(store.getState().flow.good?.outline ?? { routes: [], entities: [] }));
  const query = useMemo(() => ({ flowId, type: "step.completed,step.failed,run.completed,run.failed", body: "none" }) as const, [flowId]);
  useStream("GET /trace/stream", query, target, (event) => event.name === "trace" && counts.add(event.data), show);
  useEffect(() => () => facts.saw(new Map()), [facts]);
  return null;
}
