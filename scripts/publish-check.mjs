// `npm run publish:check`: packs everything that can be published and checks the tarballs. It publishes nothing.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packPackages, publishablePackages } from "./publish/pack.mjs";
import { manifestProblems } from "./publish/manifest-problems.mjs";

const destination = mkdtempSync(join(tmpdir(), "sluice-publish-"));
const packages = publishablePackages();
const names = new Set(packages.map(({ manifest }) => manifest.name));
let problems = 0;
try {
  const packed = await packPackages(
    packages.map(({ folder }) => folder),
    destination,
  );
  for (const [index, { manifest }] of packages.entries()) {
    const { tarball, files, size, unpackedSize } = packed[index];
    const bytes = readFileSync(tarball);
    const { messages, pkg } = await publint({ strict: true, pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) } });
    const found = [
      ...messages.map((message) => `${message.type}: ${formatMessage(message, pkg, { color: false })}`),
      ...manifestProblems(manifest, files, names),
    ];
    problems += found.length;
    console.log(`${manifest.name}@${manifest.version}: ${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked`);
    for (const text of found) console.log(`  ${text}`);
  }
} finally {
  rmSync(destination, { recursive: true, force: true });
}
if (problems > 0) {
  console.error(`${problems} ${problems === 1 ? "problem" : "problems"} found. Nothing was published.`);
  process.exit(1);
}
console.log("No problems found. Nothing was published.");

function kilobytes(bytes) {
  return `${Math.ceil(bytes / 1000)} kB`;
}
