// Paths of this package's files in a checkout, in the bundle of a checkout, and in an installed package.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The entry file of this command, for starting it again in a child process. */
export const commandFile = packageFile("bin/sluice.cjs");

export function productVersion(): string {
  return (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
}

/** The folder of the built designer: included in an installed package; in a checkout, the output of the designer's build. */
export function designerFolder(): string {
  return packageFile(existsSync(packageFile("src")) ? "../designer/dist/app" : "dist/page");
}
