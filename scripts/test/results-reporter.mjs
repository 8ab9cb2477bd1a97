// A vitest reporter for runs in several parts: adds the results of this part to the file that scripts/test.mjs reads at the end.
import { appendFileSync } from "node:fs";

/** Results go to the file named by SLUICE_TEST_RESULTS; without it, only retried tests are printed. */
export function resultsReporter(file = process.env.SLUICE_TEST_RESULTS) {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const results = { passed: 0, failed: [], skipped: [], retried: [] };
      for (const module of modules) {
        for (const error of module.errors()) results.failed.push(`${module.relativeModuleId}: ${firstLine(error)}`);
        for (const test of module.children.allTests()) addTest(results, `${module.relativeModuleId}: ${test.fullName}`, test);
      }
      for (const error of unhandledErrors) results.failed.push(`outside of a test: ${firstLine(error)}`);
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(results)}\n`);
      else if (results.retried.length > 0)
        console.log(`Passed only when retried:\n  ${results.retried.map(({ name, error }) => `${name}\n    ${error}`).join("\n  ")}\n`);
    },
  };
}

function addTest(results, name, test) {
  const { state, errors } = test.result();
  if (state === "passed") results.passed++;
  else if (state === "failed") results.failed.push(`${name}\n    ${firstLine(errors.at(-1))}`);
  else results.skipped.push(name);
  if (state === "passed" && test.diagnostic()?.flaky === true) results.retried.push({ name, error: firstLine(errors?.[0]) });
}

const firstLine = (error) => (error?.message ?? "").split("\n")[0];
