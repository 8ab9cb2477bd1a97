import type { Terminal } from "../../../terminal/terminal.ts";
import { percent, shareOf, type FlowCoverage } from "../coverage.ts";
import type { FileReport, Reporter, Write } from "../report.ts";

/** Human-readable report: the tests of each file, the failures and a summary. */
export function specReporter(write: Write, style: Terminal["style"]): Reporter {
  return {
    file({ path, results, problems }: FileReport) {
      write(style("bold", path));
      for (const { line, column, message } of problems) write(`  ${style("red", "✗")} ${path}:${line}:${column} ${message}`);
      for (const { name, line, failures, durationMs } of results) {
        const slow = durationMs >= 300 ? style("dim", ` (${durationMs} ms)`) : "";
        if (failures.length === 0) write(`  ${style("green", "✓")} ${name}${slow}`);
        else {
          write(`  ${style("red", `✗ ${name}`)}${slow}`);
          for (const failure of failures) write(`      ${path}:${line} ${failure}`);
        }
      }
    },
    finish({ passed, failed, broken, files, durationMs, coverage }) {
      for (const flow of coverage ?? []) write(coverageText(flow, style));
      const parts = [style("green", `${passed} passed`), ...(failed > 0 ? [style("red", `${failed} failed`)] : [])];
      if (broken > 0) parts.push(style("red", `${broken} ${broken === 1 ? "file" : "files"} could not run`));
      write(`\n${parts.join(", ")} in ${files.length} ${files.length === 1 ? "file" : "files"} (${(durationMs / 1_000).toFixed(2)} s)`);
    },
  };
}

function coverageText({ flowId, steps, branches }: FlowCoverage, style: Terminal["style"]): string {
  const unreached = [...steps.map(({ id, line, hits }) => ({ name: id, line, hits })), ...branches]
    .filter(({ hits }) => hits === 0)
    .toSorted((a, b) => a.line - b.line)
    .map(({ name, line }) => `${name} (line ${line})`);
  const head = `\n${style("bold", `Coverage of ${flowId}`)}: steps ${percent(shareOf(steps))}, branches ${percent(shareOf(branches))}`;
  return unreached.length === 0 ? head : `${head}\n  never reached: ${[...new Set(unreached)].join(", ")}`;
}
