// `npm run packages`: builds, and packs everything that can be published into packed/ or the given folder, to install it without a registry.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build } from "./prepare.mjs";
import { packPackages, publishablePackages } from "./publish/pack.mjs";
import { root } from "./run-command.mjs";

const folder = resolve(process.argv[2] ?? join(root, "packed"));
await build();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (/^sluice-.*\.tgz$/.test(name)) rmSync(join(folder, name));
const packed = await packPackages(
  publishablePackages().map(({ folder: source }) => source),
  folder,
);
for (const { tarball } of packed) console.log(relative(process.cwd(), tarball));
