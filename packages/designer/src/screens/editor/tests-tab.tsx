import { useEffect, useState } from "react";
import { workspaceClient, type DocumentFile } from "../../api-client/workspace-client.ts";
import { EmptyState } from "../../controls/empty-state.tsx";
import { strings } from "../../strings.ts";
import { useEditor } from "./editor-context.ts";

/** The test files of the open flow. */
export function TestsTab() {
  const editor = useEditor();
  const [tests, setTests] = useState<readonly DocumentFile[]>([]);
  useEffect(() => {
    void workspaceClient.tests(editor.id).then(setTests, () => undefined);
  }, [editor]);
  if (tests.length === 0) {
    return (
      <EmptyState title={strings.tests.none} text={strings.tests.noneText}>
        <code>tests/{editor.id}/</code>
      </EmptyState>
    );
  }
  return (
    <>
      <h2>{strings.tests.found(tests.length)}</h2>
      <ul>
        {tests.map(({ id }) => (
          <li key={id} className="mono">
            {id}.test.yaml
          </li>
        ))}
      </ul>
    </>
  );
}
