// A second copy of the packages that a plug-in depends on, like the one that npm installs with the plug-in.
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Spi from "@sluice/engine/spi";
import type * as Tools from "@sluice/engine/tools";
import type * as Values from "@sluice/engine/values";
import type * as Model from "@sluice/model";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Installs the built `@sluice/engine` and `@sluice/model` into a folder's `node_modules`. */
export function installSpi(folder: string): void {
  const modules = join(folder, "node_modules");
  for (const name of ["engine", "model"]) {
    const target = join(modules, "@sluice", name);
    mkdirSync(target, { recursive: true });
    cpSync(join(root, "packages", name, "dist"), join(target, "dist"), { recursive: true });
    cpSync(join(root, "packages", name, "package.json"), join(target, "package.json"));
  }
  for (const name of ["zod", "yaml", "re2js"]) symlinkSync(join(root, "node_modules", name), join(modules, name), "junction");
}

interface Copy {
  readonly spi: typeof Spi;
  readonly tools: typeof Tools;
  readonly values: typeof Values;
  readonly model: typeof Model;
}

export async function importSpi(folder: string): Promise<Copy> {
  const load = async <T>(path: string): Promise<T> => (await import(pathToFileURL(join(folder, "node_modules/@sluice", path)).href)) as T;
  return {
    spi: await load<typeof Spi>("engine/dist/spi/index.js"),
    tools: await load<typeof Tools>("engine/dist/tools/index.js"),
    values: await load<typeof Values>("engine/dist/values/index.js"),
    model: await load<typeof Model>("model/dist/index.js"),
  };
}
