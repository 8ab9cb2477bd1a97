// The final summary of `npm test`, over all parts of the run.

/** Merges the results of several parts. */
export function mergeResults(parts) {
  return {
    passed: parts.reduce((sum, part) => sum + part.passed, 0),
    failed: parts.flatMap((part) => part.failed),
    skipped: parts.flatMap((part) => part.skipped),
    retried: parts.flatMap((part) => part.retried),
  };
}

/**
 * The lines of the summary and whether the run succeeded. `retriedBefore` has the names of tests that needed a retry in the previous run: one retry
 * may be caused by the machine, two in a row are a defect.
 */
export function summarize({ passed, failed, skipped, retried }, retriedBefore = []) {
  const retriedTwice = retried.filter(({ name }) => retriedBefore.includes(name));
  const withoutReason = skipped.filter((name) => reasonOf(name) === undefined);
  const lines = [
    ...section("Failed:", failed),
    ...section(
      "Passed only when retried:",
      retried.map(({ name, error }) => `${name}\n    ${error}`),
    ),
    ...section(
      "Needed a retry in two successive runs, which fails the build:",
      retriedTwice.map(({ name }) => name),
    ),
    ...section("Skipped without a reason, which fails the build. Add one to the test's name, such as '(needs Chromium)':", withoutReason),
    ...section("Skipped:", skipReasons(skipped)),
  ];
  const failures = failed.length + retriedTwice.length + withoutReason.length;
  return {
    hasPassed: failures === 0,
    lines: [...lines, `${passed - retriedTwice.length} passed, ${failures} failed, ${skipped.length - withoutReason.length} skipped`],
  };
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
