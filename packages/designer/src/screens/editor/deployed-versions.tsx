import type { FlowVersion, FlowVersionText } from "@sluice/client";
import { CircleCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { Button } from "../../controls/button.tsx";
import { Timestamp } from "../../controls/timestamp.tsx";
import { hiddenHeading, TableHead } from "../../controls/data-table.tsx";
import { useEditor } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";
import { deployedFlow, useWorkspace } from "../../workspace/workspace-store.ts";
import { RollbackDialog, type Rollback } from "./rollback-dialog.tsx";
import { VersionComparison, type ComparedVersion } from "./version-comparison.tsx";

const text = strings.versions;

/** The versions deployed to the selected target; the running one is marked. */
export function DeployedVersions({ target }: { readonly target: string }) {
  const editor = useEditor();
  const running = useWorkspace(({ runtime }) => deployedFlow(runtime, editor.id));
  const [versions, setVersions] = useState<readonly FlowVersion[] | undefined>(undefined);
  const [compared, setCompared] = useState<ComparedVersion | undefined>(undefined);
  const [rollback, setRollback] = useState<Rollback | undefined>(undefined);
  const isDeployed = running !== undefined && running !== null;
  // `lastModified` is needed too: changed parameters do not change the hash.
  const { hash, lastModified } = running ?? {};
  useEffect(() => {
    let current = true;
    if (isDeployed)
      runtimeAt(target)
        .call("GET /flows/:id/versions", { params: { id: editor.id } })
        .then(
          (reply) => current && setVersions(reply.versions),
          () => current && setVersions([]),
        );
    return () => {
      current = false;
    };
  }, [editor, target, isDeployed, hash, lastModified]);
  const load = async (revision: number): Promise<FlowVersionText> =>
    runtimeAt(target).call("GET /flows/:id/versions/:revision", { params: { id: editor.id, revision: String(revision) } });
  const showErrorOf = (work: Promise<void>): void => void work.catch((error: Error) => editor.showNotice({ kind: "error", text: error.message }));
  const compare = async (revision: number): Promise<void> => setCompared({ name: text.versionName(revision), text: (await load(revision)).yaml });
  const restore = async (revision: number): Promise<void> => editor.replaceText((await load(revision)).yaml, text.restored(text.versionName(revision)));
  const confirm = async (revision: number): Promise<void> => {
    const current = await runtimeAt(target).call("GET /flows/:id", { params: { id: editor.id } });
    setRollback({ target, version: await load(revision), current, running: versions?.find((version) => version.running)?.revision });
  };
  if (running === undefined) return <p className="muted">{text.notReachable(target)}</p>;
  if (running === null) return <p className="muted">{text.notDeployed(target)}</p>;
  if (versions === undefined) return <p className="muted">{strings.common.loading}</p>;
  if (versions.length === 0) return <p className="muted">{text.noHistory(target)}</p>;
  return (
    <>
      <table className="table">
        <TableHead headings={[text.version, text.at, text.by, text.comment, hiddenHeading(text.actions)]} />
        <tbody>
          {versions.map((version) => (
            <tr key={version.revision}>
              <th scope="row">
                {text.versionName(version.revision)}{" "}
                {version.running ? (
                  <span className="chip chip--ok">
                    <CircleCheck size={14} aria-hidden="true" />
                    {text.running}
                  </span>
                ) : null}
              </th>
              <td>
                <Timestamp iso={version.at} />
              </td>
              <td>{version.by ?? text.changedManually}</td>
              <td className="cell-text">{version.comment ?? (version.restoredFrom === null ? "" : text.restoredFrom(version.restoredFrom))}</td>
              <td className="number">
                <Button variant="quiet" onClick={() => showErrorOf(compare(version.revision))}>
                  {text.compare}
                </Button>{" "}
                <Button variant="quiet" onClick={() => showErrorOf(restore(version.revision))}>
                  {text.restore}
                </Button>{" "}
                <Button variant="quiet" disabled={version.running} onClick={() => showErrorOf(confirm(version.revision))}>
                  {text.rollBack(target)}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {compared === undefined ? null : <VersionComparison version={compared} onClose={() => setCompared(undefined)} />}
      {rollback === undefined ? null : <RollbackDialog rollback={rollback} onClose={() => setRollback(undefined)} />}
    </>
  );
}
