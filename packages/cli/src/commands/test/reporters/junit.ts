// JUnit XML for build servers: one suite per file, one case per test, with the step trace as output.
import type { FlowTestResult } from "@sluice/flow-tests";
import type { FileReport, Reporter, Write } from "../report.ts";

export function junitReporter(write: Write): Reporter {
  return {
    finish({ files, passed, failed, broken, durationMs }) {
      const totals = `tests="${passed + failed + broken}" failures="${failed}" errors="${broken}" time="${seconds(durationMs)}"`;
      write(`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sluice test" ${totals}>\n${files.map(suite).join("\n")}\n</testsuites>`);
    },
  };
}

function suite({ path, results, problems, durationMs, startedAt }: FileReport, index: number): string {
  const failures = results.filter((result) => result.failures.length > 0).length;
  const errors = problems.length > 0 ? 1 : 0;
  const attributes = [
    `name="${attribute(path)}"`,
    `id="${index}"`,
    `tests="${results.length + errors}"`,
    `failures="${failures}"`,
    `errors="${errors}"`,
    `skipped="0"`,
    `time="${seconds(durationMs)}"`,
    `timestamp="${startedAt.toISOString().slice(0, 19)}"`,
    `hostname="localhost"`,
  ];
  const allProblems = problems.map(({ message }) => message).join("\n");
  const errorCases =
    errors === 0
      ? []
      : [
          `    <testcase name="${attribute(path)}" classname="${attribute(className(path))}" time="0.000">\n      <error message="${attribute(problems[0]?.message ?? "")}" type="bad-file">${text(allProblems)}</error>\n    </testcase>`,
        ];
  return [`  <testsuite ${attributes.join(" ")}>`, ...errorCases, ...results.map((result) => testCase(path, result)), "  </testsuite>"].join("\n");
}

function testCase(path: string, { name, line, failures, durationMs, runs }: FlowTestResult): string {
  const head = `    <testcase name="${attribute(name)}" classname="${attribute(className(path))}" time="${seconds(durationMs)}"`;
  const trace = runs
    .slice(0, 20)
    .flatMap((run) => [
      `${run.routeId} ${run.status}${run.error === null ? "" : `: ${run.error.message}`}`,
      ...run.steps.slice(0, 200).map((step) => `  ${step.stepId} (${step.kind}) ${step.status} ${step.durationMs} ms`),
    ])
    .join("\n");
  const inner = [
    ...(failures.length === 0
      ? []
      : [`      <failure message="${attribute(failures[0] as string)}" type="assertion">${text(`${path}:${line}\n${failures.join("\n")}`)}</failure>`]),
    ...(trace === "" ? [] : [`      <system-out>${text(trace)}</system-out>`]),
  ];
  return inner.length === 0 ? `${head}/>` : `${head}>\n${inner.join("\n")}\n    </testcase>`;
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);
const className = (path: string): string => path.replace(/\.ya?ml$/, "").replaceAll(/[\\/]/g, ".");

/** Characters that XML 1.0 does not allow, even escaped. */
// oxlint-disable-next-line no-control-regex -- the pattern matches exactly these characters
const invalidCharacters = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

const text = (value: string): string => value.replaceAll(invalidCharacters, "\uFFFD").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const attribute = (value: string): string => text(value).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;").replaceAll("\r", "&#13;");
