// Executes a page of the documentation as a reader would: writes its files, runs its commands in order in one folder against a separate server,
// and compares their output with the page.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@sluice/testkit";
import { packPackages, publishablePackages } from "../scripts/publish/pack.mjs";
import { pattern, type DocPage } from "./doc-page.ts";
import { startTestServer, token } from "./started-server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Replaces `npx` for commands of the project, to save its start-up time. */
const preamble = (clone: string): string => `set -aeo pipefail
npx() { "${clone}/node_modules/.bin/$@"; }
. ${clone}/.variables
`;
/** Variables that one block sets are available in the next, as in a terminal. */
const epilogue = (clone: string): string => `\nset +e\nexport -p | grep -E '^declare -x [A-Z]+=' > ${clone}/.next; mv ${clone}/.next ${clone}/.variables\n`;

/** The port of a partner that a page simulates with a line of Node. */
export const partnerPort = /\b81[0-9]{2}\b/g;

/** The first difference from the page; undefined when everything matches. `address` is the server that the page needs. */
export async function firstDifference(page: DocPage, address = ""): Promise<string | undefined> {
  const { blocks, settings, server: needed } = page;
  const clone = mkdtempSync(join(tmpdir(), "sluice-page-"));
  const server = await startTestServer({ env: settings });
  const ports = new Map<string, string>();
  for (const { body } of blocks) for (const [port] of body.matchAll(partnerPort)) if (!ports.has(port)) ports.set(port, String(await freePort()));
  const withTestAddresses = (text: string): string => {
    const local = text.replaceAll("http://127.0.0.1:8080", server.baseUrl).replaceAll(partnerPort, (port) => ports.get(port) ?? port);
    return needed === undefined ? local : local.replaceAll(needed.address, address);
  };
  const folder = await prepare(clone, page, server.baseUrl);
  const env = { PATH: process.env["PATH"] ?? "", HOME: clone, SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token, NO_COLOR: "1" };
  try {
    for (const [index, { kind, mode, file, line, body }] of blocks.entries()) {
      if (file !== undefined) write(join(folder, file), withTestAddresses(body));
      if (kind !== "sh" || mode !== undefined) continue;
      const commands = preamble(clone) + withTestAddresses(body) + epilogue(clone);
      const result = await promisify(execFile)("bash", ["-c", commands], { cwd: folder, env }).catch(
        (error: { stdout: string; stderr: string; message: string }) => error,
      );
      if ("message" in result) return `line ${line}: ${result.message}\n${result.stdout}\n${result.stderr}`;
      const next = blocks[index + 1];
      const matchesPage = next?.kind !== "output" || pattern(next.body).test(result.stdout.trim());
      if (!matchesPage) return `line ${line}: the page shows\n${next.body}\nand the command prints\n${result.stdout}\n${result.stderr}`;
    }
    return undefined;
  } finally {
    await server.end();
    rmSync(clone, { recursive: true, force: true });
  }
}

/**
 * Creates the files and variables that a reader has in a clone, and returns the folder of the page: as docs/how-to/index.md says, one of its own for a
 * how-to, otherwise the root folder.
 */
async function prepare(clone: string, { path, blocks }: DocPage, baseUrl: string): Promise<string> {
  const folder = path.includes("how-to") ? join(clone, "work/first") : clone;
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  symlinkSync(join(root, "examples"), join(clone, "examples"));
  if (blocks.some(({ body }) => body.includes("packed"))) symlinkSync(await packedLibraries(), join(clone, "packed"));
  write(join(folder, "sluice-data/deploy-token"), `${token}\n`);
  write(join(clone, ".variables"), `SLUICE=${baseUrl}\nTOKEN=${token}\nAUTH="Authorization: Bearer ${token}"\n`);
  return folder;
}

let packed: Promise<string> | undefined;

/** The result of `npm run packages`, without the command itself, which is tested elsewhere. */
function packedLibraries(): Promise<string> {
  packed ??= (async () => {
    const target = mkdtempSync(join(tmpdir(), "sluice-packed-"));
    process.once("exit", () => rmSync(target, { recursive: true, force: true }));
    const libraries = publishablePackages().filter(({ manifest }) => manifest.name !== "sluice");
    await packPackages(
      libraries.map(({ folder }) => folder),
      target,
    );
    return target;
  })();
  return packed;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
