import { useState } from "react";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { shownTime } from "../controls/moment.tsx";
import { strings } from "../strings.ts";
import { runningOf, useWorkspace } from "../workspace/workspace-store.ts";

const words = strings.replay;

/** The target of a replay: the version of each flow that runs there. */
export function ReplayTargets({ flowIds, recordedHash }: { readonly flowIds: readonly string[]; readonly recordedHash?: string }) {
  const { runtime, target = "" } = useWorkspace();
  return (
    <ul>
      {flowIds.map((id) => {
        const running = runningOf(runtime, id);
        return (
          <li key={id}>
            {running === undefined
              ? words.unknownVersion(id, target)
              : running === null
                ? words.notDeployed(id, target)
                : words.version(id, target, shownTime(running.lastModified), running.hash)}
            {running?.hash !== undefined && recordedHash !== undefined && running.hash !== recordedHash ? ` ${words.otherVersion(recordedHash)}` : ""}
          </li>
        );
      })}
    </ul>
  );
}

interface ReplayDialogProps {
  readonly text: string;
  readonly flowIds: readonly string[];
  readonly recordedHash?: string;
  readonly onReplay: () => void;
  readonly onClose: () => void;
}

/** Confirms that a running flow processes messages again. */
export function ReplayDialog({ text, flowIds, recordedHash, onReplay, onClose }: ReplayDialogProps) {
  const { target = "" } = useWorkspace();
  const [isSent, setSent] = useState(false);
  return (
    <Dialog
      title={words.title(target)}
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
            {words.submit(target)}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      <ReplayTargets flowIds={flowIds} {...(recordedHash === undefined ? {} : { recordedHash })} />
      <p>{words.effects}</p>
    </Dialog>
  );
}
