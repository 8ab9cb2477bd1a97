// Packs every publishable package from the existing build.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { withLock } from "../with-lock.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isWindows = process.platform === "win32";

/** The folder and manifest of each public workspace. */
export function publishablePackages() {
  return readdirSync(join(root, "packages"))
    .map((name) => {
      const folder = join(root, "packages", name);
      return { folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) };
    })
    .filter(({ manifest }) => manifest.private !== true);
}

/** Packs packages into `destination` with one call to npm; resolves with the path of each tarball and its files, in the order of the folders. */
export async function packPackages(folders, destination) {
  // The prepack scripts write into the folders of the packages.
  const { stdout } = await withLock(join(root, "node_modules/.sluice-pack.lock"), () =>
    promisify(execFile)("npm", ["pack", "--json", "--pack-destination", destination, ...folders], {
      cwd: destination,
      shell: isWindows,
      maxBuffer: 64 << 20,
    }),
  );
  // The output of the prepack scripts precedes the JSON.
  const packed = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
  return packed.map(({ filename, files, size, unpackedSize }) => ({
    tarball: join(destination, filename.replace("@", "").replace("/", "-")),
    files: files.map(({ path }) => path),
    size,
    unpackedSize,
  }));
}

/** Packs the command; resolves with the path of the tarball. */
export async function packCommand(destination) {
  const { folder } = publishablePackages().find(({ manifest }) => manifest.name === "sluice");
  const [{ tarball }] = await packPackages([folder], destination);
  return tarball;
}
