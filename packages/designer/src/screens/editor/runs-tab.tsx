import { useCallback } from "react";
import { allRunKinds, runtimeAt } from "../../api-client/runtime-client.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { RunTable } from "../run-table.tsx";
import { usePolled } from "../../api-client/use-polled.ts";
import { useEditor } from "../../editor/editor-context.ts";
import { useShownRun } from "../../trial/shown-run.tsx";
import { RunView } from "./run-view.tsx";

const text = strings.runs;
const shownRuns = 50;
const pollMs = 3000;

/** The latest runs of the open flow, or the selected one. */
export function RunsTab() {
  const editor = useEditor();
  const { runId } = useShownRun();
  if (runId === undefined) return <RunList flowId={editor.id} />;
  return <RunView />;
}

function RunList({ flowId }: { readonly flowId: string }) {
  const target = useWorkspace((state) => state.target);
  const load = useCallback(() => runtimeAt(target).call("GET /runs", { query: { flowId, kind: allRunKinds, limit: shownRuns } }), [flowId, target]);
  const [polled] = usePolled(target === undefined ? undefined : load, pollMs);
  if (polled === undefined) return <p className="muted">{strings.common.loading}</p>;
  if ("error" in polled) return <p className="field__error">{polled.error}</p>;
  return polled.value.runs.length === 0 ? <p className="muted">{text.none}</p> : <RunTable runs={polled.value.runs} />;
}
