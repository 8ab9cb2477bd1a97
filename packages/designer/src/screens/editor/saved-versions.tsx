import { useEffect, useState } from "react";
import { workspaceClient, type VersionEntry } from "../../api-client/workspace-client.ts";
import { Button } from "../../controls/button.tsx";
import { Timestamp, formatTime } from "../../controls/timestamp.tsx";
import { hiddenHeading, TableHead } from "../../controls/data-table.tsx";
import { strings } from "../../strings.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { VersionComparison, type ComparedVersion } from "./version-comparison.tsx";

const labels = strings.versions;

/** The versions in the workspace: one per save and deployment. */
export function SavedVersions() {
  const editor = useEditor();
  const saved = useEditorState((state) => state.flow.saved);
  const deploys = useEditorState((state) => state.deploys);
  const [versions, setVersions] = useState<readonly VersionEntry[]>([]);
  const [compared, setCompared] = useState<ComparedVersion | undefined>(undefined);
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
  const load = ({ id, at }: VersionEntry, use: (version: ComparedVersion) => void): void =>
    void workspaceClient.versionText(editor.id, id).then(
      (text) => use({ name: labels.versionOf(formatTime(at)), text }),
      (error: Error) => editor.showNotice({ kind: "error", text: error.message }),
    );
  if (versions.length === 0) return <p className="muted">{labels.none}</p>;
  return (
    <>
      <table className="table">
        <TableHead headings={[labels.at, labels.reason, hiddenHeading(labels.actions)]} />
        <tbody>
          {versions.map((version) => (
            <tr key={version.id}>
              <td>
                <Timestamp iso={version.at} />
              </td>
              <td>{labels.reasons[version.reason]}</td>
              <td className="number">
                <Button variant="quiet" onClick={() => load(version, setCompared)}>
                  {labels.compare}
                </Button>{" "}
                <Button variant="quiet" onClick={() => load(version, ({ name, text }) => editor.replaceText(text, labels.restored(name)))}>
                  {labels.restore}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {compared === undefined ? null : <VersionComparison version={compared} onClose={() => setCompared(undefined)} />}
    </>
  );
}
