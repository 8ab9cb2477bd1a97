// The final summary of a test run.

/**
 * The lines of the summary and whether the run succeeded.
 * @param {{ passed: number, failed: string[], skipped: string[], slowest?: { file: string, seconds: number }[] }} results
 */
export function summarize({ passed, failed, skipped, slowest = [] }) {
  const withoutReason = skipped.filter((name) => reasonOf(name) === undefined);
  const lines = [
    ...section(
      "Slowest files:",
      slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${file}`),
    ),
    ...section("Failed:", failed),
    ...section("Skipped without a reason, which fails the build. Add one to the test's name, such as '(needs Chromium)':", withoutReason),
    ...section("Skipped:", skipReasons(skipped)),
  ];
  const failures = failed.length + withoutReason.length;
  return { hasPassed: failures === 0, lines: [...lines, `${passed} passed, ${failures} failed, ${skipped.length - withoutReason.length} skipped`] };
}

const reasonOf = (name) => /\((needs [^)]+)\)/.exec(name)?.[1];

function skipReasons(names) {
  const counts = new Map();
  for (const name of names) {
    const reason = reasonOf(name);
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `${count} ${count === 1 ? "test" : "tests"}: ${reason}`);
}

function section(title, items) {
  return items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`), ""];
}
