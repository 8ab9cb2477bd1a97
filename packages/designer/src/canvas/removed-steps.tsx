import { useCatalog } from "../catalog/use-catalog.ts";
import { strings } from "../strings.ts";
import { changeSigns, removedKey, useChangeMarks } from "./change-marks.ts";
import { stepFace } from "./step-face.ts";
import { StepIcon } from "./step-icon.tsx";

const words = strings.review;

/** The steps that a deployment removes, drawn at their previous position; they cannot be selected. */
export function RemovedSteps({ listKey, index }: { readonly listKey: string; readonly index: number }) {
  const steps = useChangeMarks((state) => state.removed.get(removedKey(listKey, index)));
  const catalog = useCatalog();
  return steps?.map((step) => {
    const { title, subtitle, kind, icon } = stepFace(step, catalog);
    return (
      <li role="none" className="node" key={`${step.name} ${step.id}`}>
        <div className="gap gap--removed" aria-hidden="true" />
        <div className="card card--removed">
          <StepIcon icon={icon} kind={kind} />
          <span className="card__text">
            <del className="card__title">{title}</del>
            <span className="card__subtitle">{subtitle}</span>
          </span>
          <span className="card__state card__change" data-kind="removed">
            {changeSigns.removed} <span className="card__state-text">{words.badges.removed}</span>
          </span>
        </div>
      </li>
    );
  });
}
