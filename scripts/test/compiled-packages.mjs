// A vite plugin: tests run on the compiled packages, as users do. Node loads them much faster than vite loads the sources, and the files of one process share them.
import { existsSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { root } from "../run-command.mjs";

const packages = `${root}packages${sep}`;

export function compiledPackages() {
  return {
    name: "compiled-packages",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer === undefined) return undefined;
      return source.startsWith(".") ? compiledFile(resolve(dirname(importer), source)) : undefined;
    },
  };
}

/** The modules that Node loads, not vite. */
export const compiledModules = /\/packages\/[^/]+\/dist\//;

/** The compiled form of a source; undefined for tests and for files that are not compiled, such as those of the designer's page. */
function compiledFile(path) {
  if (!path.startsWith(packages) || !path.endsWith(".ts") || path.endsWith(".test.ts")) return undefined;
  const [name, folder, ...file] = path.slice(packages.length).split(sep);
  const compiled = [...(folder === "src" ? [] : [folder]), ...file].join("/").replace(/\.ts$/, ".js");
  // Vite writes paths with "/" on every platform.
  const id = `${packages.replaceAll(sep, "/")}${name}/dist/${compiled}`;
  return existsSync(id) ? id : undefined;
}
