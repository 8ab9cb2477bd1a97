import { problemOf, type Problem } from "../../document/problem.ts";
import { isBroken } from "../../document/open-flow.ts";
import { useMemo } from "react";
import { useEditorState } from "./editor-context.ts";

/** The faults of the text as it stands: those of the YAML while it cannot be read, those the runtime found otherwise. */
export function useProblems(): readonly Problem[] {
  const flow = useEditorState((state) => state.flow);
  const problems = useEditorState((state) => state.problems);
  return useMemo(() => (isBroken(flow) ? flow.syntax.map(problemOf) : problems), [flow, problems]);
}
