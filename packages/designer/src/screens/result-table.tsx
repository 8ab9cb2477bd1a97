import { CircleAlert, CircleCheck } from "lucide-react";
import { Link } from "wouter";
import type { FileResult } from "../simulation/test-result.ts";
import { strings } from "../strings.ts";
import { DataTable, numericHeading } from "../controls/data-table.tsx";
import "./result-table.css";

const text = strings.tests;

/** Results of test files; each row shows the first failed assertion. */
export function ResultTable({ label, flowId, files }: { readonly label: string; readonly flowId: string; readonly files: readonly FileResult[] }) {
  return (
    <DataTable label={label} headings={[text.columns.result, text.columns.test, text.columns.difference, numericHeading(text.columns.duration)]} stacks>
      {files.flatMap(({ id, problems, tests }) => [
        ...(problems.length === 0 ? [] : [<ResultRow key={id} flowId={flowId} file={id} name={text.fileProblem} failures={problems} />]),
        ...tests.map((test, index) => <ResultRow key={`${id}/${index}`} flowId={flowId} file={id} {...test} />),
      ])}
    </DataTable>
  );
}

/** The URL path of a test file's screen. */
export const testPath = (flowId: string, file: string): string => `/tests/${encodeURIComponent(flowId)}/${encodeURIComponent(file)}`;

interface ResultRowProps {
  readonly flowId: string;
  readonly file: string;
  readonly name: string;
  readonly line?: number;
  readonly failures: readonly string[];
  readonly durationMs?: number;
}

function ResultRow({ flowId, file, name, line, failures, durationMs }: ResultRowProps) {
  const [first, ...others] = failures;
  return (
    <tr>
      <td>
        <span className={`chip ${first === undefined ? "chip--ok" : "chip--fail"}`}>
          {first === undefined ? <CircleCheck size={14} aria-hidden="true" /> : <CircleAlert size={14} aria-hidden="true" />}
          {first === undefined ? text.result.passed : text.result.failed}
        </span>
      </td>
      <td>
        {name}
        <div className="mono muted">
          <Link href={testPath(flowId, file)}>
            {file}.test.yaml{line === undefined ? "" : `:${line}`}
          </Link>
        </div>
      </td>
      <td className="result__failure" {...(first === undefined ? {} : { "data-label": text.columns.difference })}>
        {first}
        {others.length === 0 ? null : (
          <details>
            <summary>{text.more(others.length)}</summary>
            {others.map((failure) => (
              <p key={failure}>{failure}</p>
            ))}
          </details>
        )}
      </td>
      <td className="number" data-label={text.columns.duration}>
        {durationMs === undefined ? "" : `${durationMs} ms`}
      </td>
    </tr>
  );
}
