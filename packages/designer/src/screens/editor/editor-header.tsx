import { FlaskConical, GitCompare, Play, Redo2, ShieldCheck, Undo2 } from "lucide-react";
import { Link } from "wouter";
import type { EditorHandle } from "../../commands/command.ts";
import { formatShortcut } from "../../commands/shortcut.ts";
import { Button } from "../../controls/button.tsx";
import { formatTime } from "../../controls/timestamp.tsx";
import { StateChip } from "../../controls/state-chip.tsx";
import { deriveState } from "../../document/flow-state.ts";
import { canRedo, canUndo, unsavedChanges } from "../../document/open-flow.ts";
import { strings } from "../../strings.ts";
import { deployedFlow, useWorkspace } from "../../workspace/workspace-store.ts";
import { CategoryLabel } from "../flows-screen.tsx";
import { FlowMenu } from "../flow-menu.tsx";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import type { View } from "./view.ts";

const text = strings.editor;
const views: readonly View[] = ["canvas", "split", "yaml"];

export interface EditorHeaderProps {
  readonly name: string;
  readonly view: View;
  readonly handle: EditorHandle;
  readonly onView: (view: View) => void;
  readonly onReview: () => void;
}

export function EditorHeader({ name, view, handle, onView, onReview }: EditorHeaderProps) {
  const editor = useEditor();
  const flow = useEditorState((state) => state.flow);
  const busy = useEditorState((state) => state.busy);
  const { targets, target, chooseTarget, categoryFile } = useWorkspace();
  const group = flow.lastValid?.outline.routes[0]?.group ?? null;
  const unsaved = unsavedChanges(flow);
  return (
    <header className="editor-head" data-region>
      <div className="editor-head__about">
        <h1 title={name}>{name}</h1>
        {group === null ? null : (
          <span className="chip editor-head__category">
            <CategoryLabel id={group} categories={categoryFile?.categories ?? []} />
          </span>
        )}
        <DeployState />
        {unsaved === 0 ? null : (
          <span className="chip">
            <span className="chip__dot" aria-hidden="true" />
            {text.unsaved(unsaved)}
          </span>
        )}
      </div>
      <div className="editor-head__tools">
        <div className="segments" role="group" aria-label={text.view}>
          {views.map((name) => (
            <Button key={name} aria-pressed={view === name} onClick={() => onView(name)}>
              {text.views[name]}
            </Button>
          ))}
        </div>
        <Button
          icon={<Undo2 size={16} aria-hidden="true" />}
          aria-label={text.undo}
          title={`${text.undo} (${formatShortcut("Mod+Z")})`}
          disabled={!canUndo(flow)}
          onClick={handle.undo}
        />
        <Button
          icon={<Redo2 size={16} aria-hidden="true" />}
          aria-label={text.redo}
          title={`${text.redo} (${formatShortcut("Mod+Shift+Z")})`}
          disabled={!canRedo(flow)}
          onClick={handle.redo}
        />
        <Link href={`/flows/${flow.id}/access`} className="button button--icon" aria-label={strings.commands.flowAccess} title={strings.commands.flowAccess}>
          <ShieldCheck size={16} aria-hidden="true" />
        </Link>
        <Button icon={<FlaskConical size={16} aria-hidden="true" />} onClick={handle.runTests}>
          {text.runTests}
        </Button>
        <Button icon={<Play size={16} aria-hidden="true" />} onClick={handle.tryIt}>
          {text.tryIt}
        </Button>
        <Button title={formatShortcut("Mod+S")} disabled={busy !== undefined} onClick={handle.save}>
          {text.save}
        </Button>
        {targets.length < 2 ? null : (
          <select className="input editor-head__target" aria-label={text.target} value={target} onChange={(event) => chooseTarget(event.target.value)}>
            {targets.map((entry) => (
              <option key={entry.name}>{entry.name}</option>
            ))}
          </select>
        )}
        <Button
          icon={<GitCompare size={16} aria-hidden="true" />}
          aria-label={strings.review.open}
          title={strings.review.open}
          disabled={busy !== undefined || target === undefined}
          onClick={onReview}
        />
        <Button variant="primary" title={formatShortcut("Mod+Enter")} disabled={busy !== undefined} onClick={handle.deploy}>
          {text.deploy}
        </Button>
        <FlowMenu id={flow.id} name={name} onNotice={(notice) => editor.showNotice(notice)} />
      </div>
    </header>
  );
}

/** Shows the deployment state. If the saved version is deployed, the chip shows the time of its deployment, by the runtime's clock. */
function DeployState() {
  const saved = useEditorState((state) => state.flow.saved);
  const deploys = useEditorState((state) => state.deploys);
  const { runtime, target = "", targets } = useWorkspace();
  const record = deploys[target];
  const running = deployedFlow(
    runtime,
    useEditorState((state) => state.flow.id),
  );
  const isReplyNewer =
    record?.outcome === "deployed" &&
    running !== undefined &&
    record.deployedHash === saved?.hash &&
    Date.parse(record.deployedAt ?? "") > Date.parse(running?.lastModified ?? "1970-01-01");
  // The flow list is polled, so right after a deployment, the reply to the deployment is newer than the list.
  const derived = deriveState({
    savedHash: saved?.hash,
    record,
    running: isReplyNewer ? { hash: record.deployedHash, lastModified: record.deployedAt as string } : running,
  });
  const isDeployed = derived.state === "Deployed" && derived.deployedAt !== null;
  return (
    <>
      {isDeployed ? null : <StateChip {...derived} stale={derived.stale && targets.length > 0 && runtime.reachable === false} />}
      <span role="status" className={isDeployed ? `chip ${derived.stale && runtime.reachable === false ? "chip--stale" : "chip--ok"}` : "visually-hidden"}>
        {isDeployed ? (
          <time dateTime={derived.deployedAt} title={text.deployedTip(target, saved?.hash ?? "", derived.deployedAt)}>
            {text.deployed(formatTime(derived.deployedAt))}
          </time>
        ) : null}
      </span>
    </>
  );
}
