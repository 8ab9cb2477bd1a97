import { CircleAlert, TriangleAlert } from "lucide-react";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditor } from "../../editor/editor-context.ts";
import { offsetOfLine } from "../../document/line-offset.ts";
import { useProblems } from "../../editor/use-problems.ts";
import { TableHead } from "../../controls/data-table.tsx";

const text = strings.problems;

export function ProblemsTab() {
  const editor = useEditor();
  const problems = useProblems();
  const reachable = useWorkspace((state) => state.runtime.reachable);
  const unchecked = reachable === false ? <p className="muted">{text.unchecked}</p> : null;
  if (problems.length === 0) {
    return (
      <>
        <p className="muted">{text.none}</p>
        {unchecked}
      </>
    );
  }
  return (
    <>
      {unchecked}
      <table className="table">
        <TableHead headings={[text.where, text.what, text.code]} />
        <tbody>
          {problems.map((problem, index) => (
            <tr key={index}>
              <td className="mono">
                <button type="button" className="link" onClick={() => editor.selectAt(offsetOfLine(editor.flow.text, problem.line, problem.column))}>
                  {editor.id}.yaml:{text.goTo(problem.line, problem.column)}
                </button>
              </td>
              <td>
                <span className={`problem problem--${problem.severity}`}>
                  {problem.severity === "error" ? <CircleAlert size={14} aria-hidden="true" /> : <TriangleAlert size={14} aria-hidden="true" />}
                  <span className="visually-hidden">{text.severity[problem.severity]}</span>
                  <span>{problem.message}</span>
                </span>
              </td>
              <td className="mono">{problem.code}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
