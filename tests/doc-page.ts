// A page of the documentation for the tests: its code blocks, each with the instructions of its first line.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Block {
  readonly line: number;
  /** The first word after the fence: `sh`, `yaml`, `json`, …; empty when there is none. */
  readonly kind: string;
  /** The second word, unless it is `file=`. */
  readonly mode: string | undefined;
  /** Where the block is written to before the next command runs. */
  readonly file: string | undefined;
  readonly body: string;
}

export interface DocPage {
  readonly path: string;
  readonly blocks: readonly Block[];
  /** Settings of the page's server, from `<!-- settings: NAME=value … -->`. */
  readonly settings: Readonly<Record<string, string>>;
  /** The server that its commands need, from `<!-- server: nats at localhost:4222 -->`, and the address shown on the page. */
  readonly server?: { readonly name: string; readonly address: string };
  /** What else its commands need, from `<!-- needs: the npm registry -->`. */
  readonly needs?: string;
}

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every hand-written and generated page, and the READMEs of the repository and the examples. */
export const docPages = (): readonly DocPage[] =>
  [
    ...["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md"].map((name) => join(root, name)),
    ...["docs", "examples"].flatMap((name) => markdownBelow(join(root, name))),
  ].map(readPage);

/** The path of a page in the repository. */
export const nameOf = ({ path }: DocPage): string => path.slice(root.length).replaceAll("\\", "/");

/** Every Markdown file below a folder. */
export function markdownBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? markdownBelow(path) : entry.name.endsWith(".md") ? [path] : [];
  });
}

export function readPage(path: string): DocPage {
  const text = readFileSync(path, "utf8");
  const settings = /<!-- settings: (.+?) -->/.exec(text)?.[1] ?? "";
  const [, name, address] = /<!-- server: (\S+) at (\S+) -->/.exec(text) ?? [];
  const server = name === undefined || address === undefined ? {} : { server: { name, address } };
  const needs = /<!-- needs: (.+?) -->/.exec(text)?.[1];
  return {
    path,
    blocks: blocksOf(text),
    ...server,
    ...(needs === undefined ? {} : { needs }),
    settings: Object.fromEntries(settings.split(" ").flatMap((word) => parsePair(word))),
  };
}

function parsePair(word: string): readonly (readonly [string, string])[] {
  const at = word.indexOf("=");
  return at > 0 ? [[word.slice(0, at), word.slice(at + 1)]] : [];
}

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].map((match) => {
    const [kind = "", ...words] = (match[1] as string).trim().split(/\s+/);
    return {
      line: text.slice(0, match.index).split("\n").length,
      kind,
      mode: words.find((word) => !word.includes("=")),
      file: words.find((word) => word.startsWith("file="))?.slice("file=".length),
      body: match[2] as string,
    };
  });
}

/** Text in which `…` matches anything. */
export const pattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .trim()
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join("[^]*?")}$`,
  );
