import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { DiffView } from "../../controls/diff-view.tsx";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";

const labels = strings.versions;

/** A version that is compared with the text in the editor. */
export interface ComparedVersion {
  /** `v3` or `the version from 2026-11-14 18:42:07`. */
  readonly name: string;
  readonly text: string;
}

export function VersionComparison({ version, onClose }: { readonly version: ComparedVersion; readonly onClose: () => void }) {
  const editor = useEditor();
  const text = useEditorState((state) => state.flow.text);
  return (
    <Dialog
      wide
      title={labels.diffTitle(version.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.close}</Button>
          <Button
            variant="primary"
            onClick={() => {
              editor.replaceText(version.text, labels.restored(version.name));
              onClose();
            }}
          >
            {labels.restore}
          </Button>
        </>
      }
    >
      <DiffView before={version.text} after={text} label={strings.diff.label} />
    </Dialog>
  );
}
