// `npm run client`: writes the types of the client package from what the runtime declares.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clientSources } from "./client/client-sources.mjs";
import { openApi } from "./docs/open-api.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
for (const [name, source] of Object.entries(clientSources(await openApi()))) {
  const path = join(root, "packages/client/src", name);
  writeFileSync(path, source);
  execFileSync("npx", ["oxfmt", path], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
