import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { isOn, textFlag, UsageError, type Call } from "../../command/declaration.ts";
import { productVersion } from "../../command/package-files.ts";
import { folderProblem } from "../../runtime/folder-error.ts";
import { schemaText } from "../schema/run-schema.ts";
import { connectorPackage, tarballsOf } from "./connector-package.ts";
import { newFunction } from "./new-function.ts";
import type { TemplateName } from "./template-names.ts";
import { templates } from "./templates.ts";

/** Next to the flow, so that editors need no network and the schemas match the version that created them. */
const schemaFiles = { flow: "flow.schema.json", test: "test.schema.json" } as const;
const modeline = (kind: keyof typeof schemaFiles): string => `# yaml-language-server: $schema=${schemaFiles[kind]}\n`;

export async function run(call: Call): Promise<number> {
  const { arguments: positionals, flags, terminal } = call;
  if (positionals["template"] === "function") return newFunction(call);
  const folder = String(positionals["folder"]);
  const name = basename(resolve(folder));
  if (positionals["template"] === "connector") return newConnector(folder, name.replace(/^sluice-connector-/, ""), { flags, terminal });
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) throw new UsageError(`'${name}' is not a valid flow id: use lower-case letters, digits, '.', '_' and '-'`);
  await assertEmpty(folder);
  const { flow, tests, params } = templates[positionals["template"] as TemplateName];
  const files = [
    [`${name}.yaml`, modeline("flow") + flow.replaceAll("NAME", name)],
    [`${name}.test.yaml`, modeline("test") + tests.replaceAll("NAME", name)],
    ...(Object.keys(params).length === 0 ? [] : [[`${name}.params.json`, `${JSON.stringify(params, undefined, 2).replaceAll("NAME", name)}\n`] as const]),
    [schemaFiles.flow, `${await schemaText("flow")}\n`],
    [schemaFiles.test, `${await schemaText("test")}\n`],
  ] as const;
  await create(folder);
  for (const [file, text] of files) await writeFile(join(folder, file), text);
  if (isOn(flags, "json")) terminal.write(JSON.stringify({ folder, files: files.map(([file]) => file) }));
  else terminal.write(`${files.map(([file]) => join(folder, file)).join("\n")}\n\nTry it:\n  sluice test ${folder}\n  sluice dev ${folder}`);
  return 0;
}

async function create(folder: string): Promise<void> {
  await createFolder(folder).catch((error: unknown) => {
    const why = folderProblem(error);
    throw why === undefined ? error : new UsageError(`'${folder}' cannot be created (${why}): choose another folder`);
  });
}

async function assertEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError(`'${folder}' is not a folder: choose a new folder`);
  });
  if (entries.length > 0) throw new UsageError(`'${folder}' is not empty: choose a new folder`);
}

async function newConnector(folder: string, scheme: string, { flags, terminal }: Pick<Call, "flags" | "terminal">): Promise<number> {
  if (!/^[a-z][a-z0-9]*([-.][a-z][a-z0-9]*)*$/.test(scheme))
    throw new UsageError(`'${scheme}' is not a valid scheme: use lower-case letters and digits, with '-' or '.' between words`);
  await assertEmpty(folder);
  const packages = textFlag(flags, "packages");
  if (packages !== undefined) assertPacked(packages);
  const files = connectorPackage(scheme, productVersion(), packages === undefined ? undefined : relative(folder, packages).replaceAll("\\", "/"));
  for (const [file, text] of Object.entries(files)) {
    await create(dirname(join(folder, file)));
    await writeFile(join(folder, file), text);
  }
  const paths = Object.keys(files);
  if (isOn(flags, "json")) terminal.write(JSON.stringify({ folder, files: paths }));
  else terminal.write(`${paths.map((file) => join(folder, file)).join("\n")}\n\n${nextSteps(folder, packages !== undefined)}`);
  return 0;
}

function assertPacked(packages: string): void {
  const missing = tarballsOf(productVersion()).find((name) => !existsSync(join(packages, name)));
  if (missing !== undefined)
    throw new UsageError(`'${packages}' does not contain ${missing}: run \`npm run packages\` in a clone of Sluice, and pass its folder 'packed'`);
}

const nextSteps = (folder: string, canInstall: boolean): string =>
  canInstall
    ? `Try it:\n  cd ${folder} && npm install && npm test`
    : "The packages that it depends on are not on the npm registry yet. In a clone of Sluice, run `npm run packages`;\nthen create the connector with `--packages <clone>/packed`, so that `npm install` works.";
