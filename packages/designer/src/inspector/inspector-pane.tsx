import { itemText } from "@sluice/model";
import { selectedStep } from "../document/open-flow.ts";
import { pathKey } from "../document/outline.ts";
import { problemsByStep } from "../document/problem-places.ts";
import { useEditorState } from "../screens/editor/editor-context.ts";
import { useProblems } from "../screens/editor/use-problems.ts";
import { strings } from "../strings.ts";

const words = strings.inspector;

/** What is known of the selected step. */
export function InspectorPane() {
  const flow = useEditorState((state) => state.flow);
  const problems = useProblems();
  const step = selectedStep(flow);
  if (step === undefined || flow.good === undefined) {
    return (
      <>
        <p className="muted">{words.none}</p>
        <p className="muted">{words.noneHint}</p>
      </>
    );
  }
  const own = problemsByStep(flow, problems).get(pathKey(step.path)) ?? [];
  return (
    <>
      <h2>{step.description ?? step.name}</h2>
      <p className="mono muted">
        {words.step} {step.id} · {words.line} {step.span.line}
      </p>
      {own.map((problem, index) => (
        <p key={index} className="field__error">
          {problem.message}
        </p>
      ))}
      <h3>{words.yaml}</h3>
      <pre className="inspector__yaml" tabIndex={0}>
        {itemText(flow.good.text, step.listPath, step.index)}
      </pre>
    </>
  );
}
