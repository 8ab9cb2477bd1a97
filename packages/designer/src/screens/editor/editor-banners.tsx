import { useState } from "react";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { DiffView } from "../../controls/diff-view.tsx";
import { formatTime } from "../../controls/timestamp.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { isBroken } from "../../document/open-flow.ts";
import { strings } from "../../strings.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";

/** Banners about the open flow. */
export function EditorBanners() {
  return (
    <div className="editor__banners">
      <RecoveredDraft />
      <InvalidYaml />
      <NoticeBanner />
    </div>
  );
}

function RecoveredDraft() {
  const editor = useEditor();
  const recoveredDraft = useEditorState((state) => state.recoveredDraft);
  const text = useEditorState((state) => state.flow.text);
  const [comparing, setComparing] = useState(false);
  if (recoveredDraft === undefined) return null;
  return (
    <div className="banner banner--warn" role="alert">
      <span className="banner__text">{strings.draft.found(formatTime(recoveredDraft.at))}</span>
      <Button onClick={() => setComparing(true)}>{strings.draft.compare}</Button>
      <Button onClick={() => editor.restoreDraft()}>{strings.draft.restore}</Button>
      <Button onClick={() => editor.discardDraft()}>{strings.draft.discard}</Button>
      {comparing ? (
        <Dialog
          wide
          title={strings.draft.title}
          onClose={() => setComparing(false)}
          actions={<Button onClick={() => setComparing(false)}>{strings.common.close}</Button>}
        >
          <DiffView before={text} after={recoveredDraft.text} label={strings.diff.label} />
        </Dialog>
      ) : null}
    </div>
  );
}

function InvalidYaml() {
  const flow = useEditorState((state) => state.flow);
  const syntaxError = flow.syntax[0];
  if (!isBroken(flow) || syntaxError === undefined) return null;
  const { broken, neverValid } = strings.editor;
  return (
    <div className="banner banner--warn">
      <span className="banner__text">{(flow.lastValid === undefined ? neverValid : broken)(syntaxError.span.line, syntaxError.message)}</span>
    </div>
  );
}

/** The last notice, such as the outcome of Save or Deploy: errors are shown, other notices are announced to screen readers only. */
function NoticeBanner() {
  const editor = useEditor();
  const notice = useEditorState((state) => state.notice);
  const busy = useEditorState((state) => state.busy);
  return (
    <>
      <div className="visually-hidden" aria-live="polite">
        {busy === "saving" ? strings.editor.saving : busy === "deploying" ? strings.editor.deploying : notice?.kind === "info" ? notice.text : ""}
      </div>
      {notice?.kind === "error" ? (
        <FailureBanner text={notice.text}>
          <Button variant="quiet" onClick={() => editor.showNotice(undefined)}>
            {strings.notices.dismiss}
          </Button>
        </FailureBanner>
      ) : null}
    </>
  );
}
