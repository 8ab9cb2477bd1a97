// Collects the licenses of the packages bundled in the CLI and the designer; most of them must be distributed with the code.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Build tools that are not part of the output. */
const buildTools = /^(@types\/|@vitejs\/|vite$)/;

/** The text of the notices for the workspaces of this repository. */
export function thirdPartyLicenses(root) {
  const found = new Map();
  for (const name of readdirSync(join(root, "packages"))) {
    if (name === "testkit") continue;
    const folder = join(root, "packages", name);
    const { dependencies, devDependencies } = manifestOf(folder);
    // Bundled packages are declared as devDependencies.
    const bundled = name === "cli" || name === "designer" ? devDependencies : {};
    for (const dependency of Object.keys({ ...dependencies, ...bundled })) collect(dependency, folder, found);
  }
  const notices = [...found.entries()].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([name, notice]) => `## ${name}\n\n${notice}\n`);
  return `# Third-party licenses\n\nThis package contains code from the following packages.\n\n${notices.join("\n")}`;
}

function collect(name, from, found) {
  if (name.startsWith("@sluice/") || buildTools.test(name)) return;
  const folder = folderOf(name, from);
  if (folder === undefined) return;
  const { version, license, dependencies } = manifestOf(folder);
  const title = `${name} ${version}`;
  if (found.has(title)) return;
  found.set(title, licenseOf(folder, license));
  for (const dependency of Object.keys(dependencies ?? {})) collect(dependency, folder, found);
}

/** Resolves a package from a folder, as Node does; undefined for packages that are not installed, such as types. */
function folderOf(name, from) {
  const { paths } = createRequire(join(from, "package.json")).resolve;
  return paths(name)
    ?.map((path) => join(path, name))
    .find((path) => existsSync(join(path, "package.json")));
}

function licenseOf(folder, license) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|-|$)/i.test(name));
  return file === undefined ? `License: ${license}` : `License: ${license}\n\n\`\`\`text\n${readFileSync(join(folder, file), "utf8").trim()}\n\`\`\``;
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
