// Builds `@sluice/connector-kit` from the exports of `connectors/src/kit.ts`. The connectors themselves are not published, because their clients
// would become dependencies. The compiled kit and its imports are copied unchanged.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "packages/connectors/dist");
const folder = join(root, "packages/connector-kit");
const importPattern = /^(?:import|export)\b[^;"']*?from\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\("([^"]+)"\)/gm;

export function buildConnectorKit() {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const target = join(folder, "dist");
  const found = new Set();
  const add = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const match of readFileSync(file, "utf8").matchAll(importPattern)) {
      const name = match[1] ?? match[2] ?? match[3];
      // Declaration files refer to each other by source name.
      if (name.startsWith(".")) add(join(dirname(file), file.endsWith(".d.ts") ? name.replace(/\.ts$/, ".d.ts") : name));
      else if (!Object.keys(dependencies).some((dependency) => name === dependency || name.startsWith(`${dependency}/`)))
        throw new Error(
          `${relative(root, file)} imports '${name}': add it to the dependencies of packages/connector-kit/package.json, or keep it out of the kit`,
        );
    }
  };
  add(join(from, "kit.js"));
  add(join(from, "kit.d.ts"));
  rmSync(target, { recursive: true, force: true });
  for (const file of found) {
    const copy = join(target, relative(from, file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
  }
}
