import { useEffect, useState } from "react";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { useCatalog, useCatalogLoader } from "../catalog/use-catalog.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { formatTime } from "../controls/timestamp.tsx";
import { strings } from "../strings.ts";
import { calledSystems } from "../trial/called-systems.ts";
import { deployedFlow, useWorkspace } from "../workspace/workspace-store.ts";

const labels = strings.replay;

/** The target of a replay: the version of each flow that runs there, and the systems it calls. */
export function ReplayTargets({ flowIds, recordedHash }: { readonly flowIds: readonly string[]; readonly recordedHash?: string }) {
  const { runtime, target = "" } = useWorkspace();
  return (
    <ul>
      {flowIds.map((id) => {
        const running = deployedFlow(runtime, id);
        return (
          <li key={id}>
            {running === undefined
              ? labels.unknownVersion(id, target)
              : running === null
                ? labels.notDeployed(id, target)
                : labels.version(id, target, formatTime(running.lastModified), running.hash)}
            {running?.hash !== undefined && recordedHash !== undefined && running.hash !== recordedHash ? ` ${labels.otherVersion(recordedHash)}` : ""}
            {running === null ? null : <Systems flowId={id} />}
          </li>
        );
      })}
    </ul>
  );
}

/** The systems that the deployed version of a flow calls. */
function Systems({ flowId }: { readonly flowId: string }) {
  const target = useWorkspace((state) => state.target);
  const [text, setText] = useState<string | null | undefined>(undefined);
  useCatalogLoader();
  const catalog = useCatalog();
  useEffect(() => {
    runtimeAt(target)
      .call("GET /flows/:id", { params: { id: flowId } })
      .then(
        ({ yaml }) => setText(yaml),
        () => setText(null),
      );
  }, [target, flowId]);
  if (text === undefined) return <p className="muted">{strings.common.loading}</p>;
  const systems = text === null || catalog === undefined ? undefined : calledSystems(text, flowId, catalog);
  if (systems === undefined) return <p>{labels.unknownSystems(flowId)}</p>;
  if (systems.length === 0) return <p>{labels.noSystems(flowId)}</p>;
  return (
    <>
      <p>{labels.systems(flowId)}</p>
      <ul>
        {systems.map(({ name, detail }) => (
          <li key={`${name} ${detail}`}>{labels.system(name, detail)}</li>
        ))}
      </ul>
    </>
  );
}

interface ReplayDialogProps {
  readonly text: string;
  readonly flowIds: readonly string[];
  readonly recordedHash?: string;
  readonly onReplay: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation before a running flow processes messages again. */
export function ReplayDialog({ text, flowIds, recordedHash, onReplay, onClose }: ReplayDialogProps) {
  const { target = "" } = useWorkspace();
  const [isSent, setSent] = useState(false);
  return (
    <Dialog
      title={labels.title(target)}
      onClose={onClose}
      onSubmit={() => {
        setSent(true);
        onReplay();
        onClose();
      }}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={isSent}>
            {labels.submit(target)}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      <ReplayTargets flowIds={flowIds} {...(recordedHash === undefined ? {} : { recordedHash })} />
    </Dialog>
  );
}
