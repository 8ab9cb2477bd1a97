import { useCatalog } from "../catalog/use-catalog.ts";
import { strings } from "../strings.ts";
import { changeSigns, removedKey, useChangeMarks } from "./change-marks.ts";
import { entityLabel, stepLabel, triggerLabel } from "./card-label.ts";
import { StepIcon } from "./step-icon.tsx";

const text = strings.review;

/** The steps that a deployment removes, drawn at their previous position; they cannot be selected. */
export function RemovedSteps({ listKey, index }: { readonly listKey: string; readonly index: number }) {
  const steps = useChangeMarks((state) => state.removed.get(removedKey(listKey, index)));
  const catalog = useCatalog();
  return steps?.map((step) => (
    <li role="none" className="node" key={`${step.name} ${step.id}`}>
      <div className="gap gap--removed" aria-hidden="true" />
      <RemovedCard label={stepLabel(step, catalog)} />
    </li>
  ));
}

/** The routes and other elements that a deployment removes, below those that remain. */
export function RemovedRoutes() {
  const routes = useChangeMarks((state) => state.removedRoutes);
  const elements = useChangeMarks((state) => state.removedElements);
  const catalog = useCatalog();
  return (
    <>
      {routes.map((route) => (
        <section key={route.id} className="canvas__route" aria-label={text.removedRoute(route.id)}>
          <h2 className="canvas__heading">
            <del>{route.description ?? route.id}</del>
          </h2>
          <ul className="removed-route">
            <li className="node">
              <RemovedCard label={triggerLabel(route, catalog)} />
            </li>
            {route.steps.map((step) => (
              <li className="node" key={step.id}>
                <div className="gap gap--removed" aria-hidden="true" />
                <RemovedCard label={stepLabel(step, catalog)} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {elements.length === 0 ? null : (
        <ul className="removed-route" aria-label={text.removedElements}>
          {elements.map((element, index) => (
            <li className="node" key={index}>
              <RemovedCard label={entityLabel(element, catalog)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function RemovedCard({ label: { title, subtitle, kind, icon } }: { readonly label: ReturnType<typeof stepLabel> }) {
  return (
    <div className="card card--removed">
      <StepIcon icon={icon} kind={kind} />
      <span className="card__text">
        <del className="card__title">{title}</del>
        <span className="card__subtitle">{subtitle}</span>
      </span>
      <span className="card__state card__change" data-kind="removed">
        {changeSigns.removed} <span className="card__state-text">{text.badges.removed}</span>
      </span>
    </div>
  );
}
