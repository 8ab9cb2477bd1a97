// Runs in the folder of a package before it is packed: adds files that are elsewhere in the repository. The `sluice` package is packed only from a
// current build.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { buildConnectorKit } from "./connector-kit.mjs";
import { thirdPartyLicenses } from "./publish/third-party-licenses.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { name } = JSON.parse(readFileSync("package.json", "utf8"));
cpSync(`${root}LICENSE`, "LICENSE");
if (name === "@sluice/connector-kit") buildConnectorKit();
if (name === "sluice") {
  addPage();
  writeFileSync("THIRD-PARTY-LICENSES.md", thirdPartyLicenses(root));
}

function addPage() {
  const page = `${root}packages/designer/dist/app`;
  const { isCurrent } = createRequire(import.meta.url)("../packages/cli/bin/bundle.cjs");
  if (!isCurrent() || !existsSync(`${page}/index.html`)) {
    console.error("The build is missing or out of date: run `npm run build` before packing.");
    process.exit(1);
  }
  rmSync("dist/page", { recursive: true, force: true });
  cpSync(page, "dist/page", { recursive: true });
}
