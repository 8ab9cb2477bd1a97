// `npm run api:lint`: lints the OpenAPI document of the runtime with Redocly and Spectral; Spectral is downloaded.
import { lint } from "./api-lint/lint.mjs";

for (const linter of ["redocly", "spectral"]) {
  const { isClean, output } = await lint(linter);
  console.log(`${linter}: ${isClean ? "no findings" : `findings\n${output}`}`);
  if (!isClean) process.exitCode = 1;
}
