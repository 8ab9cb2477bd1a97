import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { isOn, UsageError, type Call } from "../../command/declaration.ts";
import type { TemplateName } from "./template-names.ts";
import { templates } from "./templates.ts";

export async function run({ arguments: given, flags, terminal }: Call): Promise<number> {
  const folder = String(given["folder"]);
  const name = basename(resolve(folder));
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) throw new UsageError(`'${name}' is no flow id: use small letters, digits, '.', '_' and '-'`);
  const present = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError(`'${folder}' is no folder`);
  });
  if (present.length > 0) throw new UsageError(`'${folder}' holds files already: choose a new folder`);
  const { flow, tests, params } = templates[given["template"] as TemplateName];
  const files = [
    [`${name}.yaml`, flow],
    [`${name}.test.yaml`, tests],
    ...(Object.keys(params).length === 0 ? [] : [[`${name}.params.json`, `${JSON.stringify(params, undefined, 2)}\n`] as const]),
  ] as const;
  await mkdir(folder, { recursive: true });
  for (const [file, text] of files) await writeFile(join(folder, file), text.replaceAll("NAME", name));
  if (isOn(flags, "json")) terminal.write(JSON.stringify({ folder, files: files.map(([file]) => file) }));
  else terminal.write(`${files.map(([file]) => join(folder, file)).join("\n")}\n\nTry it:\n  sluice test ${folder}\n  sluice dev ${folder}`);
  return 0;
}
