// `npm run docs`: writes the generated part of docs/reference. With --check it writes nothing and fails when a file is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { referencePages } from "./docs/pages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs/reference");
const pages = await referencePages(root);
const stale = [...pages].filter(([path, text]) => !existsSync(join(folder, path)) || readFileSync(join(folder, path), "utf8") !== text).map(([path]) => path);
const orphaned = ["steps", "connectors", "connections", "languages", "formats", "entities", "documents"].flatMap((kind) =>
  existsSync(join(folder, kind))
    ? readdirSync(join(folder, kind))
        .map((name) => `${kind}/${name}`)
        .filter((path) => !pages.has(path))
    : [],
);

if (process.argv.includes("--check")) {
  for (const path of stale) console.error(`docs/reference/${path} is stale`);
  for (const path of orphaned) console.error(`docs/reference/${path} is obsolete: it is no longer generated`);
  if (stale.length + orphaned.length > 0) {
    console.error("run `npm run docs` and commit the result");
    process.exit(1);
  }
} else {
  for (const path of stale) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), pages.get(path));
  }
  for (const path of orphaned) rmSync(join(folder, path));
  console.log(`${pages.size} pages, ${stale.length} written, ${orphaned.length} removed`);
}
