// Executes a page of the documentation as a reader would: writes its files, runs its commands in order in one folder against a separate server,
// and compares their output with the page.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@sluice/testkit";
import { pattern, type DocPage } from "./doc-page.ts";
import { startTestServer, token } from "./started-server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Replaces `npx` for commands of the project, to save its start-up time. */
const preamble = `set -aeo pipefail
npx() { "node_modules/.bin/$@"; }
. ./.variables
`;
/** Variables that one block sets are available in the next, as in a terminal. */
const epilogue = "\nset +e\nexport -p | grep -E '^declare -x [A-Z]+=' > .next; mv .next .variables\n";

/** The first difference from the page; undefined when everything matches. `address` is the server that the page needs. */
export async function firstDifference({ blocks, settings, server: needed }: DocPage, address = ""): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-page-"));
  const server = await startTestServer({ env: settings });
  // Pages that simulate a partner use port 8099; several pages run at a time.
  const partnerPort = String(await freePort());
  const withTestAddresses = (text: string): string => {
    const local = text.replaceAll("http://127.0.0.1:8080", server.baseUrl).replaceAll("8099", partnerPort);
    return needed === undefined ? local : local.replaceAll(needed.address, address);
  };
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, SLUICE_RUNTIME: server.baseUrl, NO_COLOR: "1" };
  prepare(folder, server.baseUrl);
  try {
    for (const [index, { kind, mode, file, line, body }] of blocks.entries()) {
      if (file !== undefined) write(join(folder, file), withTestAddresses(body));
      if (kind !== "sh" || mode !== undefined) continue;
      const result = await promisify(execFile)("bash", ["-c", preamble + withTestAddresses(body) + epilogue], { cwd: folder, env, timeout: 240_000 }).catch(
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
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates the files and variables that a reader has after `npm start` in a clone. */
function prepare(folder: string, baseUrl: string): void {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  symlinkSync(join(root, "examples"), join(folder, "examples"));
  write(join(folder, "sluice-data/deploy-token"), `${token}\n`);
  write(join(folder, ".variables"), `SLUICE=${baseUrl}\nTOKEN=${token}\nAUTH="Authorization: Bearer ${token}"\n`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
