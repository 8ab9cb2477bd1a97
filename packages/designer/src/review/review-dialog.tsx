import { pathKey, type FlowDifference, type Path, type StepChange } from "@sluice/model";
import { useEffect, useState, type ReactNode } from "react";
import { changeSigns, type ChangeKind } from "../canvas/change-marks.ts";
import { entityLabel, stepLabel } from "../canvas/card-label.ts";
import { useCatalog } from "../catalog/use-catalog.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { DiffView } from "../controls/diff-view.tsx";
import { useEditor, useEditorState } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { checkDeploy, type AffectedFileTest, type DeployCheck } from "./deploy-check.ts";
import { optionsText } from "./marks-of.ts";

const labels = strings.review;

interface ReviewDialogProps {
  readonly target: string;
  readonly onDeploy: (reviewedHash: string | null) => void;
  readonly onClose: () => void;
  /** Called when the deployed text is known, so that its differences can be shown on the canvas. */
  readonly onChecked: (deployed: string | undefined) => void;
  /** Closes the dialog and shows the canvas, with a step selected if one was chosen. */
  readonly onShow: (path: Path | undefined) => void;
}

/** Shows the changes that a deployment would make on the target, before it is started. */
export function ReviewDialog({ target, onDeploy, onClose, onChecked, onShow }: ReviewDialogProps) {
  const editor = useEditor();
  const text = useEditorState((state) => state.flow.text);
  const [checked, setChecked] = useState<DeployCheck | { readonly error: string } | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    checkDeploy(target, editor.id, text).then(
      (result) => {
        if (!isCurrent) return;
        setChecked(result);
        onChecked(result.deployed);
      },
      (error: Error) => isCurrent && setChecked({ error: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [target, editor, text, onChecked]);
  const isKnown = checked !== undefined && !("error" in checked);
  return (
    <Dialog
      side
      title={labels.title(target)}
      onClose={onClose}
      onSubmit={() => isKnown && onDeploy(checked.deployedHash)}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button disabled={!isKnown || checked.difference === undefined} onClick={() => onShow(undefined)}>
            {labels.show}
          </Button>
          <Button type="submit" variant="primary" disabled={!isKnown || checked.rejection !== undefined}>
            {labels.deploy(target)}
          </Button>
        </>
      }
    >
      {checked === undefined ? <p className="muted">{strings.common.loading}</p> : null}
      {checked !== undefined && "error" in checked ? <p className="field__error">{checked.error}</p> : null}
      {isKnown ? <Result checked={checked} text={text} onShow={onShow} /> : null}
    </Dialog>
  );
}

type OnShow = ReviewDialogProps["onShow"];

function Result({ checked, text, onShow }: { readonly checked: DeployCheck; readonly text: string; readonly onShow: OnShow }) {
  const { deployed, difference, webhooks, tests, warnings, rejection } = checked;
  const isSame = deployed === text;
  return (
    <>
      {rejection === undefined ? null : <p className="field__error">{labels.rejection(rejection)}</p>}
      {deployed === undefined ? <p>{labels.first}</p> : null}
      {isSame ? <p>{labels.same}</p> : null}
      {difference === undefined || isSame ? null : (
        <>
          <ChangeList difference={difference} onShow={onShow} />
          {webhooks === undefined ? null : <Contract webhooks={webhooks} />}
          <Tests tests={tests} />
        </>
      )}
      {warnings.length === 0 ? null : (
        <>
          <h3>{labels.warnings}</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
      {deployed === undefined || isSame ? null : (
        <details>
          <summary>{labels.text}</summary>
          <DiffView before={deployed} after={text} label={strings.diff.label} />
        </details>
      )}
    </>
  );
}

function ChangeList({ difference, onShow }: { readonly difference: FlowDifference; readonly onShow: OnShow }) {
  const catalog = useCatalog();
  const { routes, steps, elements } = difference;
  if (routes.length + steps.length + elements.length === 0) return <p>{labels.none}</p>;
  return (
    <ul className="changes" aria-label={labels.changes}>
      {routes.map(({ change, route, options }) => (
        <Change key={`route ${route.id}`} kind={change} path={route.from.path} onShow={onShow}>
          {labels.route[change](route.id, change === "changed" ? optionsText(options) : route.from.uri)}
        </Change>
      ))}
      {elements.map(({ change, element, options }) => (
        <Change key={`${change} ${pathKey(element.path)}`} kind={change} path={element.path} onShow={onShow}>
          {[entityLabel(element, catalog).title, ...(options.length === 0 ? [] : [optionsText(options)])].join(": ")}
        </Change>
      ))}
      {steps.map((step) => (
        <Change key={`${step.change} ${pathKey(step.step.path)}`} kind={step.change} path={step.step.path} onShow={onShow}>
          <StepText {...step} />
        </Change>
      ))}
    </ul>
  );
}

function StepText({ change, step, options }: StepChange) {
  const { title, subtitle } = stepLabel(step, useCatalog());
  return change === "changed" ? `${title}: ${optionsText(options)}` : subtitle === "" ? title : `${title} (${subtitle})`;
}

/** A change to an element that still exists can be shown on the canvas. */
function Change({ kind, path, onShow, children }: { readonly kind: ChangeKind; readonly path: Path; readonly onShow: OnShow; readonly children: ReactNode }) {
  const content = (
    <>
      <span className="changes__sign" aria-hidden="true">
        {changeSigns[kind]}
      </span>{" "}
      <b>{labels.kinds[kind]}</b>
      {children}
    </>
  );
  return (
    <li className="changes__item" data-kind={kind}>
      {kind === "removed" ? (
        content
      ) : (
        <button type="button" className="changes__show" title={labels.show} onClick={() => onShow(path)}>
          {content}
        </button>
      )}
    </li>
  );
}

function Contract({ webhooks }: { readonly webhooks: NonNullable<DeployCheck["webhooks"]> }) {
  const { kept, removed, added, stricter } = webhooks;
  const lines = [
    ...removed.map(labels.operationRemoved),
    ...stricter.flatMap(({ operation, required, restricted, contentTypes }) => [
      ...(required.length === 0 ? [] : [labels.requires(operation, required)]),
      ...(restricted.length === 0 ? [] : [labels.restricts(operation, restricted)]),
      ...(contentTypes.length === 0 ? [] : [labels.narrows(operation, contentTypes)]),
    ]),
    ...added.map(labels.operationAdded),
  ];
  return (
    <section aria-label={labels.contract}>
      <h3>{labels.contract}</h3>
      <p className={kept ? "review__compatible" : "review__breaking"}>{kept ? labels.compatible : labels.breaking}</p>
      {lines.length === 0 ? null : (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Tests({ tests }: { readonly tests: readonly AffectedFileTest[] }) {
  return (
    <section aria-label={labels.tests}>
      <h3>{labels.tests}</h3>
      {tests.length === 0 ? (
        <p>{labels.noTests}</p>
      ) : (
        <ul>
          {tests.map(({ file, line, name, routes, missingSteps }) => (
            <li key={`${file} ${line} ${name}`}>{labels.test(name, routes, missingSteps)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
