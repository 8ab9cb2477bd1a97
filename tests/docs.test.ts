// The documents cannot rot: generated pages are compared with what would be generated now, links must lead somewhere, and every
// command of the guides is run against a started server.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { referencePages } from "../scripts/docs/pages.mjs";
import { startTestServer, token, type StartedServer } from "./started-server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const reference = join(root, "docs/reference");

describe("the generated reference", () => {
  let pages: ReadonlyMap<string, string>;
  beforeAll(async () => {
    pages = await referencePages(root);
  });

  it("is what `npm run docs` writes now", () => {
    const stale = [...pages]
      .filter(([path, text]) => !existsSync(join(reference, path)) || readFileSync(join(reference, path), "utf8") !== text)
      .map(([path]) => path);
    expect(stale, "run `npm run docs` and commit what it writes").toEqual([]);
  });

  it("describes nothing that is gone", () => {
    const folders = ["steps", "connectors", "languages", "formats", "entities"];
    const orphans = folders.flatMap((folder) => readdirSync(join(reference, folder)).map((name) => `${folder}/${name}`)).filter((path) => !pages.has(path));
    expect(orphans).toEqual([]);
  });

  it("has a page with options and an example for every step", () => {
    const page = pages.get("steps/split.md") as string;
    expect(page).toContain("| `delimiter` | string | `,` |");
    expect(page).toMatch(/```yaml\n- route:\n {4}id: example/);
    expect(pages.get("errors.md")).toContain("| `flow-empty` | flow defines no routes |");
  });
});

function markdown(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? markdown(path) : entry.name.endsWith(".md") ? [path] : [];
  });
}

describe("links", () => {
  it("between documents lead somewhere", () => {
    const files = [
      ...markdown(join(root, "docs")),
      ...markdown(join(root, "examples")),
      ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map((name) => join(root, name)),
    ];
    const broken = files.filter(existsSync).flatMap((file) =>
      [
        ...readFileSync(file, "utf8")
          .replaceAll(/```[^]*?```/g, "")
          .matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g),
      ]
        .map((match) => match[1] as string)
        .filter((link) => !existsSync(resolve(dirname(file), link)))
        .map((link) => `${file.slice(root.length)}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

interface Command {
  readonly line: number;
  readonly script: string;
  readonly output: string | undefined;
}

/** The `sh` blocks of a guide, each with the `output` block behind it. `sh start` is what the test server stands for. */
function commandsOf(text: string): readonly Command[] {
  const blocks = [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].map((match) => ({
    kind: match[1] as string,
    body: match[2] as string,
    line: text.slice(0, match.index).split("\n").length,
  }));
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    return block.kind === "sh" ? [{ line: block.line, script: block.body, output: next?.kind === "output" ? next.body : undefined }] : [];
  });
}

/** A text in which `…` stands for anything. */
const pattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .trim()
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join("[^]*?")}$`,
  );

/** A guide that shows what its commands print is held to it. */
const guides = markdown(join(root, "docs/guide")).filter((file) => readFileSync(file, "utf8").includes("```output\n"));

it("the first guide is among those that are run", () => expect(guides.map((file) => file.slice(root.length))).toContain("docs/guide/first-flow.md"));

describe.each(guides.map((file) => [file.slice(root.length), file] as const))("guide %s", (_, file) => {
  const commands = commandsOf(readFileSync(file, "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "sluice-guide-"));
  let server: StartedServer;
  beforeAll(async () => {
    server = await startTestServer();
    writeFileSync(join(folder, ".variables"), `SLUICE=${server.baseUrl}\nTOKEN=${token}\n`);
  });
  afterAll(async () => {
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it("has commands, and every other block is YAML or their output", () => {
    expect(commands.length).toBeGreaterThan(0);
    const kinds = [...readFileSync(file, "utf8").matchAll(/^```(\w[^\n]*)$/gm)].map((match) => match[1]);
    expect(kinds.filter((kind) => !["sh", "sh start", "output", "yaml"].includes(kind as string))).toEqual([]);
  });

  it.each(commands.map((command) => [command.line, command] as const))("line %i does what it says", async (_line, { script, output }) => {
    // Variables that one block sets are there in the next, as in a terminal.
    const whole = `set -ae\n. ./.variables\n${script}\nset +e\nexport -p | grep -E ' (SLUICE|TOKEN|[A-Z]+)=' > .next; mv .next .variables\n`;
    const { stdout } = await promisify(execFile)("bash", ["-c", whole], { cwd: folder, env: { PATH: process.env["PATH"] ?? "" }, timeout: 15_000 });
    if (output !== undefined) expect(stdout.trim()).toMatch(pattern(output));
  });
});
