import { lazy, Suspense, useState } from "react";
import { Button } from "../controls/button.tsx";
import { MessageView } from "../controls/message-view.tsx";
import { useEditorState } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { useStepMessage, type StepMessage } from "../trial/step-message.tsx";
import { DataTree } from "./data-tree.tsx";
import "./data-panel.css";

const HeldMessage = lazy(() => import("../breakpoints/held-message.tsx").then((module) => ({ default: module.HeldMessage })));

const text = strings.data;
const views = ["before", "after", "diff"] as const;
type DataView = (typeof views)[number];

/** The content of the panel, which a narrow window shows as a tab of the inspector. */
export function DataContent() {
  const [view, setView] = useState<DataView>("before");
  const hasSelection = useEditorState(({ flow }) => flow.selection !== undefined);
  const message = useStepMessage();
  return (
    <div className="data">
      <div className="data__head">
        <div className="segments" role="group" aria-label={text.viewLabel}>
          {views.map((name) => (
            <Button key={name} aria-pressed={view === name} onClick={() => setView(name)}>
              {text.views[name]}
            </Button>
          ))}
        </div>
      </div>
      <p className="data__source muted">
        {message.runId === undefined ? text.ofSample : text.ofRun(message.runId)}
        {message.visits > 1 ? ` · ${text.times(message.visits)}` : ""}
      </p>
      {hasSelection ? <ViewContent view={view} message={message} /> : <p className="muted data__note">{text.none}</p>}
    </div>
  );
}

function ViewContent({ view, message: { before, after, visits, isHeld } }: { readonly view: DataView; readonly message: StepMessage }) {
  if (visits === 0) return <p className="muted data__note">{text.unreached}</p>;
  if (isHeld === true && view === "before") {
    return (
      <Suspense>
        <HeldMessage />
      </Suspense>
    );
  }
  if (view === "diff") {
    return (
      <div className="data__diff">
        <MessageView label={text.views.diff} before={after === undefined ? undefined : before} after={after ?? before} />
      </div>
    );
  }
  // The trigger has only a message after it.
  const message = view === "after" ? after : (before ?? after);
  return message === undefined ? (
    <p className="muted data__note">{text.noAfter}</p>
  ) : (
    <DataTree message={message} side={view === "after" || before === undefined ? "after" : "before"} />
  );
}
