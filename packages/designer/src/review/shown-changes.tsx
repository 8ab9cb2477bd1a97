import { flowVersion, readTree, versionDifference, type FlowDifference } from "@sluice/model";
import { useEffect, useMemo } from "react";
import { noMarks, useChangeMarks } from "../canvas/change-marks.ts";
import { Button } from "../controls/button.tsx";
import { useEditor, useEditorState } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { marksOf } from "./marks-of.ts";

const text = strings.review;

/** Marks the changes since the deployed version on the canvas, even while the flow is being edited. */
export function ShownChanges({
  deployed,
  target,
  onReview,
  onHide,
}: {
  readonly deployed: string;
  readonly target: string;
  readonly onReview: () => void;
  readonly onHide: () => void;
}) {
  const { id } = useEditor();
  // Both versions are parsed once: the deployed one here, the edited one by the editor.
  const deployedVersion = useMemo(() => {
    const { tree } = readTree(deployed);
    return tree === undefined ? undefined : flowVersion(tree, id);
  }, [deployed, id]);
  const tree = useEditorState(({ flow }) => flow.lastValid?.tree);
  const difference = useMemo(
    () => (tree === undefined || deployedVersion === undefined ? undefined : versionDifference(deployedVersion, flowVersion(tree, id))),
    [deployedVersion, tree, id],
  );
  useEffect(() => {
    useChangeMarks.setState(difference === undefined ? noMarks : marksOf(difference));
  }, [difference]);
  useEffect(() => () => useChangeMarks.setState(noMarks), []);
  return (
    <section className="review-bar" aria-label={text.shown(target)}>
      <span role="status">
        {text.shown(target)}: {difference === undefined ? text.none : summaryOf(difference)}
      </span>
      <Button onClick={onReview}>{text.open}</Button>
      <Button onClick={onHide}>{text.hide}</Button>
    </section>
  );
}

function summaryOf({ routes, steps, elements }: FlowDifference): string {
  const all = [...routes, ...elements, ...steps];
  const parts = (["added", "changed", "moved", "removed"] as const).flatMap((kind) => {
    const count = all.filter(({ change }) => change === kind).length;
    return count === 0 ? [] : [text.counts[kind](count)];
  });
  return parts.length === 0 ? text.none : parts.join(", ");
}
