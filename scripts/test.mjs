// `npm test`: installs and builds when needed, then runs every check and test.
import { prepare, root, run } from "./prepare.mjs";

prepare();
const bin = (name) => `${root}node_modules/.bin/${name}`;
run(bin("oxlint"), ["--quiet"]);
run(bin("oxfmt"), ["--check", "packages", "scripts", "tests", "bench"]);
run(bin("vitest"), ["run", ...process.argv.slice(2)]);
