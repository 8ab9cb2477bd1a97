import { useEffect, useMemo, useState } from "react";
import { readTree } from "@sluice/model";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { stepFace } from "../../canvas/step-face.ts";
import { useCatalog } from "../../catalog/use-catalog.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { DiffView } from "../../controls/diff-view.tsx";
import { flowChanges, type FlowChanges, type StepChange } from "../../document/flow-changes.ts";
import { outlineOf } from "../../document/outline.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";

const words = strings.review;
const signs = { added: "+", changed: "~", removed: "−" } as const;

interface Checked {
  /** The deployed text; undefined when the flow is not deployed. */
  readonly deployed: string | undefined;
  readonly deployedHash: string | null;
  readonly warnings: readonly string[];
  /** Why the runtime would reject the text. */
  readonly refused: string | undefined;
}

/** What a deployment would change on the target, before it does. */
export function ReviewDialog({
  target,
  onDeploy,
  onClose,
}: {
  readonly target: string;
  readonly onDeploy: (reviewedHash: string | null) => void;
  readonly onClose: () => void;
}) {
  const editor = useEditor();
  const text = useEditorState((state) => state.flow.text);
  const [checked, setChecked] = useState<Checked | { readonly error: string } | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    check(target, editor.id, text).then(
      (result) => isCurrent && setChecked(result),
      (error: Error) => isCurrent && setChecked({ error: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [target, editor, text]);
  const isKnown = checked !== undefined && !("error" in checked);
  return (
    <Dialog
      wide
      title={words.title(target)}
      onClose={onClose}
      onSubmit={() => isKnown && onDeploy(checked.deployedHash)}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary" disabled={!isKnown || checked.refused !== undefined}>
            {words.deploy(target)}
          </Button>
        </>
      }
    >
      {checked === undefined ? <p className="muted">{strings.common.loading}</p> : null}
      {checked !== undefined && "error" in checked ? <p className="field__error">{checked.error}</p> : null}
      {isKnown ? <Result checked={checked} text={text} id={editor.id} /> : null}
    </Dialog>
  );
}

async function check(target: string, id: string, yaml: string): Promise<Checked> {
  const runtime = runtimeAt(target);
  const flows = await runtime.call("GET /flows");
  const isDeployed = flows.flows.some((flow) => flow.id === id);
  const flow = isDeployed ? await runtime.call("GET /flows/:id", { params: { id } }) : undefined;
  const outcome = await runtime.call("PUT /flows/:id", { params: { id }, query: { dryRun: true }, body: { yaml } }).then(
    ({ warnings }) => ({ warnings, refused: undefined }),
    (error: Error) => ({ warnings: [], refused: error.message }),
  );
  return { deployed: flow?.yaml, deployedHash: flow?.hash ?? null, ...outcome };
}

function Result({ checked, text, id }: { readonly checked: Checked; readonly text: string; readonly id: string }) {
  const { deployed, warnings, refused } = checked;
  const changes = useMemo(() => changesBetween(deployed ?? "[]", text, id), [deployed, text, id]);
  return (
    <>
      {refused === undefined ? null : <p className="field__error">{words.refused(refused)}</p>}
      {deployed === undefined ? <p>{words.first}</p> : null}
      {deployed === text ? <p>{words.same}</p> : null}
      {changes === undefined || deployed === undefined ? null : <ChangeList changes={changes} />}
      {warnings.length === 0 ? null : (
        <>
          <h3>{words.warnings}</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
      {deployed === undefined || deployed === text ? null : (
        <details>
          <summary>{words.text}</summary>
          <DiffView before={deployed} after={text} label={strings.diff.label} />
        </details>
      )}
    </>
  );
}

function changesBetween(before: string, after: string, id: string): FlowChanges | undefined {
  const [old, now] = [readTree(before).tree, readTree(after).tree];
  return old === undefined || now === undefined ? undefined : flowChanges(outlineOf(old, id), outlineOf(now, id));
}

function ChangeList({ changes }: { readonly changes: FlowChanges }) {
  const { addedRoutes, removedRoutes, addresses, steps } = changes;
  return (
    <ul className="changes" aria-label={words.changes}>
      {addedRoutes.map(({ id, from }) => (
        <Change key={`+${id}`} kind="added" text={words.routeAdded(id, from.uri)} />
      ))}
      {removedRoutes.map(({ id, from }) => (
        <Change key={`-${id}`} kind="removed" text={words.routeRemoved(id, from.uri)} />
      ))}
      {addresses.map(({ routeId, before, after }) => (
        <Change key={`@${routeId}`} kind="changed" text={words.address(routeId, before, after)} />
      ))}
      {steps.map((change, index) => (
        <StepLine key={index} change={change} />
      ))}
    </ul>
  );
}

function StepLine({ change }: { readonly change: StepChange }) {
  const catalog = useCatalog();
  const { title, subtitle } = stepFace(change.step, catalog);
  const name = subtitle === "" ? title : `${title} (${subtitle})`;
  const what = change.options.map((option) => words.option(option.name, option.before, option.after)).join(", ");
  return <Change kind={change.kind} text={change.kind === "changed" ? `${title}: ${what}` : name} />;
}

function Change({ kind, text }: { readonly kind: StepChange["kind"]; readonly text: string }) {
  return (
    <li className="changes__item" data-kind={kind}>
      <span className="changes__sign" aria-hidden="true">
        {signs[kind]}
      </span>
      <span className="visually-hidden">{words.kinds[kind]}</span>
      {text}
    </li>
  );
}
