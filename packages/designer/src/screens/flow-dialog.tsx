// The dialogs of a flow's menu: before any change, they name the flow, the target and the data that is lost.
import { useEffect, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { workspaceClient } from "../api-client/workspace-client.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { Field } from "../controls/field.tsx";
import type { Notice } from "../document/editor.ts";
import { strings } from "../strings.ts";
import { deployedFlow, useWorkspace } from "../workspace/workspace-store.ts";
import { deleteFlow, renameFlow, undeployFlow } from "./flow-actions.ts";

const text = strings.flowMenu;

interface FlowDialogProps {
  readonly id: string;
  readonly name: string;
  readonly onNotice: (notice: Notice) => void;
  readonly onClose: () => void;
}

export function FlowDialog({ kind, ...props }: FlowDialogProps & { readonly kind: "rename" | "undeploy" | "remove" }) {
  const Content = { rename: RenameDialog, undeploy: UndeployDialog, remove: DeleteDialog }[kind];
  return <Content {...props} />;
}

interface FrameProps extends Pick<FlowDialogProps, "onNotice" | "onClose"> {
  readonly title: string;
  readonly submit: string;
  readonly done: string;
  readonly act: () => Promise<void>;
  /** Called on submit; false keeps the dialog open. */
  readonly isComplete?: () => boolean;
  readonly children: ReactNode;
}

function DialogFrame({ title, submit, done, act, isComplete, onNotice, onClose, children }: FrameProps) {
  const [isBusy, setBusy] = useState(false);
  const submitForm = (): void => {
    if (isComplete?.() === false) return;
    setBusy(true);
    act()
      .then(
        () => onNotice({ kind: "info", text: done }),
        (error: Error) => onNotice({ kind: "error", text: error.message }),
      )
      .finally(onClose);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submitForm}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={isBusy}>
            {submit}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

function RenameDialog({ id, name, ...rest }: FlowDialogProps) {
  const [originalName] = useState(name);
  const [next, setNext] = useState(name);
  const [isSubmitted, setSubmitted] = useState(false);
  const trimmed = next.trim();
  return (
    <DialogFrame
      {...rest}
      title={text.renameTitle(originalName)}
      submit={text.renameSubmit}
      done={text.renamed(trimmed)}
      act={() => renameFlow(id, trimmed)}
      isComplete={() => {
        setSubmitted(true);
        return trimmed !== "";
      }}
    >
      <Field label={text.renameName} hint={text.renameHint} error={isSubmitted && trimmed === "" ? strings.newFlow.nameMissing : undefined}>
        {(control) => <input {...control} className="input" required autoFocus value={next} onChange={(event) => setNext(event.target.value)} />}
      </Field>
    </DialogFrame>
  );
}

function UndeployDialog({ id, name, ...rest }: FlowDialogProps) {
  const { runtime, target = text.noTarget } = useWorkspace();
  const routes = (deployedFlow(runtime, id)?.routes ?? []).map((route) => route.id);
  return (
    <DialogFrame
      {...rest}
      title={text.undeployTitle(name, target)}
      submit={text.undeploySubmit(target)}
      done={text.undeployed(target)}
      act={() => undeployFlow(target, id)}
    >
      <p>{text.undeployText(routes, target)}</p>
    </DialogFrame>
  );
}

function DeleteDialog({ id, name, onClose, ...rest }: FlowDialogProps) {
  const [, navigate] = useLocation();
  const { runtime, flows, target = text.noTarget } = useWorkspace();
  const [tests, setTests] = useState(0);
  useEffect(
    () =>
      void workspaceClient.tests(id).then(
        (files) => setTests(files.length),
        () => undefined,
      ),
    [id],
  );
  useEffect(() => void useWorkspace.getState().loadFlows(), []);
  const saved = flows?.find((flow) => flow.id === id);
  const running = deployedFlow(runtime, id);
  const others = Object.values(saved?.deploys ?? {}).flatMap((record) => (record.target !== target && record.deployedHash !== null ? [record.target] : []));
  const remove = async (): Promise<void> => {
    await deleteFlow(id, running === undefined || running === null ? undefined : target);
    navigate("/flows");
  };
  return (
    <DialogFrame {...rest} onClose={onClose} title={text.removeTitle(name)} submit={text.removeSubmit} done={text.removed(name)} act={remove}>
      <p>{flows === undefined ? strings.common.loading : saved === undefined ? text.removeDraft : text.removeFile(`${id}.yaml`, tests)}</p>
      <p>{running === undefined ? text.removeUnknown(target) : running === null ? text.removeNotRunning(target) : text.removeRunning(target)}</p>
      {others.length === 0 ? null : <p>{text.removeOthers(others)}</p>}
    </DialogFrame>
  );
}
