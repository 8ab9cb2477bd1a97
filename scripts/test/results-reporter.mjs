// A vitest reporter that writes the results of a run to the file that scripts/test.mjs reads at the end.
import { writeFileSync } from "node:fs";

/** Results go to the file named by SLUICE_TEST_RESULTS, if any. */
export function resultsReporter(file = process.env.SLUICE_TEST_RESULTS) {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      if (file === undefined) return;
      const results = { passed: 0, failed: [], skipped: [], slowest: slowestFiles(modules) };
      for (const module of modules) {
        for (const error of module.errors()) results.failed.push(`${module.relativeModuleId}: ${firstLine(error)}`);
        for (const test of module.children.allTests()) addTest(results, `${module.relativeModuleId}: ${test.fullName}`, test);
      }
      for (const error of unhandledErrors) results.failed.push(`outside of a test: ${firstLine(error)}`);
      writeFileSync(file, JSON.stringify(results));
    },
  };
}

/** A title made from a large value would fill the screen and the log. */
const longestName = 100_000;

function addTest(results, name, test) {
  const { state, errors } = test.result();
  if (name.length > longestName) {
    results.failed.push(`${name.slice(0, 200)}…\n    the name of this test has ${name.length} characters: name the value instead of printing it`);
    return;
  }
  if (state === "passed") results.passed++;
  else if (state === "failed") results.failed.push(`${name}\n    ${firstLine(errors.at(-1))}`);
  else results.skipped.push(name);
}

/** The files that took longest, with the seconds for loading and running them. */
function slowestFiles(modules) {
  const files = modules.map((module) => {
    const { duration, collectDuration } = module.diagnostic();
    return { file: module.relativeModuleId, seconds: Math.round((duration + collectDuration) / 100) / 10 };
  });
  return files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 30);
}

const firstLine = (error) => (error?.message ?? "").split("\n")[0];
