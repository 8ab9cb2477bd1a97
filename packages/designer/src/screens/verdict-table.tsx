import { CircleAlert, CircleCheck } from "lucide-react";
import { Link } from "wouter";
import type { FileVerdict } from "../simulation/test-verdict.ts";
import { strings } from "../strings.ts";
import { DataTable, numericHead } from "../controls/data-table.tsx";
import "./verdict-table.css";

const words = strings.tests;

/** Results of test files; each row shows the first failed check. */
export function VerdictTable({ label, flowId, files }: { readonly label: string; readonly flowId: string; readonly files: readonly FileVerdict[] }) {
  return (
    <DataTable label={label} heads={[words.columns.result, words.columns.test, words.columns.difference, numericHead(words.columns.duration)]} stacks>
      {files.flatMap(({ id, faults, tests }) => [
        ...(faults.length === 0 ? [] : [<Verdict key={id} flowId={flowId} file={id} name={words.fileFault} faults={faults} />]),
        ...tests.map((test, index) => <Verdict key={`${id}/${index}`} flowId={flowId} file={id} {...test} />),
      ])}
    </DataTable>
  );
}

/** The screen of a test file. */
export const testPath = (flowId: string, file: string): string => `/tests/${encodeURIComponent(flowId)}/${encodeURIComponent(file)}`;

interface VerdictProps {
  readonly flowId: string;
  readonly file: string;
  readonly name: string;
  readonly line?: number;
  readonly faults: readonly string[];
  readonly durationMs?: number;
}

function Verdict({ flowId, file, name, line, faults, durationMs }: VerdictProps) {
  const [first, ...others] = faults;
  return (
    <tr>
      <td>
        <span className={`chip ${first === undefined ? "chip--ok" : "chip--fail"}`}>
          {first === undefined ? <CircleCheck size={14} aria-hidden="true" /> : <CircleAlert size={14} aria-hidden="true" />}
          {first === undefined ? words.result.passed : words.result.failed}
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
      <td className="verdict__fault" {...(first === undefined ? {} : { "data-label": words.columns.difference })}>
        {first}
        {others.length === 0 ? null : (
          <details>
            <summary>{words.more(others.length)}</summary>
            {others.map((fault) => (
              <p key={fault}>{fault}</p>
            ))}
          </details>
        )}
      </td>
      <td className="number" data-label={words.columns.duration}>
        {durationMs === undefined ? "" : `${durationMs} ms`}
      </td>
    </tr>
  );
}
