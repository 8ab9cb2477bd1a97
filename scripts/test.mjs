// `npm test`: installs and builds when needed, then runs every check and test.
import { prepare, root, run } from "./prepare.mjs";

prepare();
const bin = (name) => `${root}node_modules/.bin/${name}`;
run(bin("oxlint"), ["--quiet"]);
run(bin("oxfmt"), ["--check", "packages", "scripts", "tests", "bench"]);
run(bin("tsc"), ["-p", "tsconfig.tests.json"]);

// These watch how others fare while something heavy goes on, or compare durations: they run one after another, and a
// machine that was busy for a moment gets a second try.
const alone = [
  "tests/bench-budgets.test.ts",
  "tests/documents.test.ts",
  "tests/http-input.test.ts",
  "tests/partner-faults.test.ts",
  "tests/redeploy.test.ts",
  "tests/streams.test.ts",
  "tests/access.test.ts",
  "tests/cli-examples.test.ts",
  "tests/cli-terminal.test.ts",
  "packages/server/src/access/schemes/basic.test.ts",
];
const asked = process.argv.slice(2);
if (asked.length > 0) run(bin("vitest"), ["run", ...asked]);
else {
  // A test that met a moment in which the machine stood still gets a second try, and is named in the end when it needed it.
  run(bin("vitest"), ["run", "--retry=1", ...[...alone, "tests/designer/**"].flatMap((file) => ["--exclude", file])]);
  run(bin("vitest"), ["run", "--maxWorkers=1", "--retry=2", ...alone]);
  run(bin("vitest"), ["run", "--retry=2", "tests/designer"]);
}
