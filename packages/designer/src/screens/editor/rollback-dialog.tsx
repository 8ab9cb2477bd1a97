import type { Flow, FlowVersionText } from "@sluice/client";
import { useState } from "react";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { DiffView } from "../../controls/diff-view.tsx";
import { formatTime } from "../../controls/timestamp.tsx";
import { useEditor } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";

const text = strings.versions;

export interface Rollback {
  readonly target: string;
  readonly version: FlowVersionText;
  /** The version on the target. */
  readonly current: Flow;
  /** The revision that runs; undefined when it is not in the history. */
  readonly running: number | undefined;
}

/** Names target and version, and shows what changes, before a running flow is replaced. */
export function RollbackDialog({ rollback: { target, version, current, running }, onClose }: { readonly rollback: Rollback; readonly onClose: () => void }) {
  const editor = useEditor();
  const [isSent, setSent] = useState(false);
  const { revision, at, by } = version;
  const submit = async (): Promise<void> => {
    setSent(true);
    await editor.rollBack({ target, revision, replacing: current.hash });
    onClose();
    await useWorkspace.getState().loadRuntime();
  };
  const params = changedParams(current.params, version.params);
  return (
    <Dialog
      wide
      title={text.rollBackTitle(editor.id, revision, target)}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={isSent}>
            {text.rollBackSubmit(target)}
          </Button>
        </>
      }
    >
      <p>{text.rollBackText(revision, formatTime(at), by, running === undefined ? text.currentVersion : text.runningVersion(running), target)}</p>
      {params.length === 0 ? null : <p>{text.paramsChange(params)}</p>}
      <DiffView before={current.yaml} after={version.yaml} label={strings.diff.label} />
    </Dialog>
  );
}

function changedParams(before: Flow["params"], after: Flow["params"]): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
}
