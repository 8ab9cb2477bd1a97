import { problemOf, type Problem } from "../document/problem.ts";
import { isBroken } from "../document/open-flow.ts";
import { useMemo } from "react";
import { useEditorState } from "./editor-context.ts";

/** The problems of the current text: YAML errors while it cannot be parsed, otherwise those reported by the runtime. */
export function useProblems(): readonly Problem[] {
  const flow = useEditorState((state) => state.flow);
  const problems = useEditorState((state) => state.problems);
  return useMemo(() => (isBroken(flow) ? flow.syntax.map(problemOf) : problems), [flow, problems]);
}
