import { EllipsisVertical } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../controls/button.tsx";
import { Menu, type MenuEntry } from "../controls/menu.tsx";
import type { Notice } from "../document/editor.ts";
import { strings } from "../strings.ts";
import { deployedFlow, useWorkspace } from "../workspace/workspace-store.ts";

const text = strings.flowMenu;

const FlowDialog = lazy(() => import("./flow-dialog.tsx").then((module) => ({ default: module.FlowDialog })));

export interface FlowMenuProps {
  readonly id: string;
  readonly name: string;
  readonly onNotice: (notice: Notice) => void;
}

/** The menu of a flow, in the list and in the editor. */
export function FlowMenu({ id, name, onNotice }: FlowMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [position, setPosition] = useState<{ readonly x: number; readonly y: number } | undefined>(undefined);
  const [dialog, setDialog] = useState<"rename" | "undeploy" | "remove" | undefined>(undefined);
  const entries = useEntries({ id, name, onNotice }, setDialog);
  const open = (): void => {
    const box = button.current?.getBoundingClientRect();
    setPosition({ x: box?.left ?? 0, y: (box?.bottom ?? 0) + 4 });
  };
  return (
    <>
      <Button
        ref={button}
        variant="quiet"
        icon={<EllipsisVertical size={16} aria-hidden="true" />}
        aria-label={text.open(name)}
        aria-haspopup="menu"
        aria-expanded={position !== undefined}
        onClick={open}
      />
      {position === undefined ? null : (
        <Menu label={text.open(name)} {...position} entries={entries} onClose={() => setPosition(undefined)} onReturn={() => button.current?.focus()} />
      )}
      {dialog === undefined ? null : (
        <Suspense>
          <FlowDialog kind={dialog} id={id} name={name} onNotice={onNotice} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </>
  );
}

function useEntries({ id, name, onNotice }: FlowMenuProps, openDialog: (dialog: "rename" | "undeploy" | "remove") => void): readonly MenuEntry[] {
  const [, navigate] = useLocation();
  const { runtime, target } = useWorkspace();
  const running = deployedFlow(runtime, id);
  const where = target ?? text.noTarget;
  const disabledReason = running === undefined ? text.notReachable(where) : running === null ? text.notDeployed(where) : undefined;
  const routeIds = (running?.routes ?? []).map((route) => route.id);
  const act = (done: string | undefined, run: (actions: typeof import("./flow-actions.ts")) => Promise<void>): void =>
    void import("./flow-actions.ts").then(run).then(
      () => done !== undefined && onNotice({ kind: "info", text: done }),
      (error: Error) => onNotice({ kind: "error", text: error.message }),
    );
  const control = (action: "start" | "stop"): MenuEntry => ({
    key: action,
    title: text[action](where),
    disabledReason,
    run: () => act(action === "start" ? text.started(where) : text.stopped(where), (actions) => actions.controlFlow(where, routeIds, action)),
  });
  return [
    {
      key: "duplicate",
      title: text.duplicate,
      run: () => act(text.duplicated(text.copyOf(name)), async (actions) => navigate(`/flows/${await actions.duplicateFlow(id, name)}`)),
    },
    { key: "rename", title: text.rename, run: () => openDialog("rename") },
    { key: "export", title: text.exportYaml, run: () => act(undefined, (actions) => actions.exportFlow(id)) },
    control("start"),
    control("stop"),
    { key: "undeploy", title: text.undeploy(where), disabledReason, run: () => openDialog("undeploy") },
    { key: "remove", title: text.remove, run: () => openDialog("remove") },
  ];
}
