// `sluice test`: finds the test files, runs them one after another and reports.
import { isOn, listOf, textFlag, CommandError, type Call } from "../../command/declaration.ts";
import { countOf } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { writeOutput } from "../../files/write-output.ts";
import { findYamlFiles, nothingIn, type YamlFile } from "../../files/yaml-files.ts";
import type { Reporter, TestReport, Write } from "./report.ts";
import { junitReporter } from "./reporters/junit.ts";
import { jsonReporter } from "./reporters/json.ts";
import { specReporter } from "./reporters/spec.ts";
import { tapReporter } from "./reporters/tap.ts";
import { openRemote, openTrial, type RuntimeUnderTest } from "./runtime-under-test.ts";
import { runTestFiles } from "./run-test-files.ts";
import { watchAndRun } from "./watch-files.ts";

export async function run(call: Call): Promise<number> {
  const { arguments: positionals, flags, terminal, signal } = call;
  const paths = listOf(positionals, "paths");
  const remote = textFlag(flags, "runtime") !== undefined;
  // Searched first, so that missing files are reported before a runtime is started for the tests.
  const files = await findTests(paths);
  if (files.length === 0) {
    if (isOn(flags, "allowEmpty") && !isOn(flags, "watch")) return report(call, async () => emptyReport);
    throw await nothingIn(paths, "test file", "a test file is a YAML file with `flow` and `tests`; --allow-empty accepts that there is none");
  }
  const runtime = remote
    ? openRemote(await connect(flags))
    : await openTrial(
        textFlag(flags, "profile"),
        files.map(({ path }) => path),
      );
  try {
    if (!isOn(flags, "watch")) return await runOnce(call, runtime, files);
    return await watchAndRun(paths, signal, terminal, async () => runOnce(call, runtime, await findTests(paths)));
  } finally {
    await runtime.close();
  }
}

async function findTests(paths: readonly string[]): Promise<readonly YamlFile[]> {
  return (await findYamlFiles(paths)).filter(({ kind }) => kind === "tests");
}

const emptyReport: TestReport = { files: [], passed: 0, failed: 0, broken: 0, durationMs: 0, coverage: undefined };

function runOnce(call: Call, runtime: RuntimeUnderTest, files: readonly YamlFile[]): Promise<number> {
  const { flags, terminal, signal } = call;
  const filter = textFlag(flags, "filter");
  const where = listOf(call.arguments, "paths");
  return report(call, async (reporter) => {
    const tests = await runTestFiles(files, runtime, {
      filter,
      coverage: isOn(flags, "coverage"),
      update: isOn(flags, "update"),
      signal,
      progress: (text) => terminal.progress(text),
      done: (file) => reporter.file?.(file),
    });
    terminal.progress(undefined);
    if (tests.files.length === 0 && !isOn(flags, "allowEmpty"))
      throw new CommandError(
        `no test in '${where.length === 0 ? "." : where.join("', '")}' (${countOf(files.length, "test file")}) has a name that contains '${filter ?? ""}': change --filter, or pass --allow-empty`,
      );
    return tests;
  });
}

/** Runs the tests and reports their results; returns the exit code. */
async function report(call: Call, runTests: (reporter: Reporter) => Promise<TestReport>): Promise<number> {
  const { flags, terminal } = call;
  const output = textFlag(flags, "output");
  let collected = "";
  const write: Write = output === undefined ? (text) => terminal.write(text) : (text) => void (collected += `${text}\n`);
  const reporter = reporterOf(call, write);
  const tests = await runTests(reporter);
  reporter.finish(tests);
  if (output !== undefined) {
    await writeOutput(output, collected);
    specReporter(
      (text) => terminal.note(text),
      (_, text) => text,
    ).finish(tests);
  }
  return exitOf(tests);
}

function reporterOf({ flags, terminal }: Call, write: Write): Reporter {
  const name = isOn(flags, "json") ? "json" : flags["reporter"];
  if (name === "json") return jsonReporter(write);
  if (name === "junit") return junitReporter(write);
  if (name === "tap") return tapReporter(write);
  return specReporter(write, textFlag(flags, "output") === undefined ? terminal.style : (_, text) => text);
}

const exitOf = ({ failed, broken }: TestReport): number => (broken > 0 ? 2 : failed > 0 ? 1 : 0);
