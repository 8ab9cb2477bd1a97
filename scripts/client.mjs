// `npm run client`: generates the types of the client package, the query parameters of the command and the library's settings from the declarations of the runtime.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { settingDescriptions } from "@sluice/server";
import { clientSources } from "./client/client-sources.mjs";
import { queryParametersSource } from "./client/query-parameters-source.mjs";
import { settingsSource } from "./client/settings-source.mjs";
import { openApi } from "./docs/open-api.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = await openApi();
const sources = [
  ...Object.entries(clientSources(document)).map(([name, source]) => [`packages/client/src/${name}`, source]),
  ["packages/cli/src/runtime/query-parameters.ts", queryParametersSource(document)],
  ["packages/cli/src/library/settings.ts", settingsSource(settingDescriptions)],
];
for (const [name, source] of sources) {
  const path = join(root, name);
  writeFileSync(path, source);
  execFileSync("npx", ["oxfmt", path], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
