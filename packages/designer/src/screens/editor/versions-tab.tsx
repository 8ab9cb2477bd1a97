import { useEffect, useState } from "react";
import { workspaceClient, type VersionEntry } from "../../api-client/workspace-client.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { DiffView } from "../../controls/diff-view.tsx";
import { Moment, shownTime } from "../../controls/moment.tsx";
import { strings } from "../../strings.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";

const words = strings.versions;

export function VersionsTab() {
  const editor = useEditor();
  const saved = useEditorState((state) => state.flow.saved);
  const deploys = useEditorState((state) => state.deploys);
  const text = useEditorState((state) => state.flow.text);
  const [versions, setVersions] = useState<readonly VersionEntry[]>([]);
  const [compared, setCompared] = useState<{ readonly version: VersionEntry; readonly text: string } | undefined>(undefined);
  useEffect(() => {
    let current = true;
    workspaceClient.versions(editor.id).then(
      (found) => current && setVersions(found),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [editor, saved, deploys]);
  const load = (version: VersionEntry, use: (text: string) => void): void =>
    void workspaceClient.versionText(editor.id, version.id).then(use, (error: Error) => editor.say({ kind: "error", text: error.message }));
  const restore = (version: VersionEntry): void => load(version, (old) => editor.replaceText(old, words.restored(shownTime(version.at))));
  if (versions.length === 0) return <p className="muted">{words.none}</p>;
  return (
    <>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.at}</th>
            <th scope="col">{words.reason}</th>
            <th scope="col">
              <span className="visually-hidden">{words.compare}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <tr key={version.id}>
              <td>
                <Moment iso={version.at} />
              </td>
              <td>{words.reasons[version.reason]}</td>
              <td className="number">
                <Button look="quiet" onClick={() => load(version, (old) => setCompared({ version, text: old }))}>
                  {words.compare}
                </Button>{" "}
                <Button look="quiet" onClick={() => restore(version)}>
                  {words.restore}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {compared === undefined ? null : (
        <Dialog
          wide
          title={words.diffTitle(shownTime(compared.version.at))}
          onClose={() => setCompared(undefined)}
          actions={
            <>
              <Button onClick={() => setCompared(undefined)}>{strings.common.close}</Button>
              <Button
                look="primary"
                onClick={() => {
                  restore(compared.version);
                  setCompared(undefined);
                }}
              >
                {words.restore}
              </Button>
            </>
          }
        >
          <DiffView before={compared.text} after={text} label={strings.diff.label} />
        </Dialog>
      )}
    </>
  );
}
