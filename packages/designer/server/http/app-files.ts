// Serves the built page. Only files found in its folder at start are served, so path traversal is not possible.
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { securityHeaders } from "./security-headers.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

interface AppFile {
  readonly bytes: Buffer;
  /** Compressed on the first request. */
  gzip: Buffer | undefined;
  readonly type: string;
}

/** Build output of the page, relative to the built server and to its sources. */
export function defaultAppFolder(): string {
  const candidates = ["../../app/", "../../dist/app/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((path) => existsSync(join(path, "index.html"))) ?? (candidates[0] as string);
}

export class AppFiles {
  /** Read at start, so that an open page can still load its scripts after a rebuild. */
  readonly #files: ReadonlyMap<string, AppFile>;

  constructor(folder: string) {
    this.#files = new Map(existsSync(folder) ? walk(folder, "").map((name) => [name, readAppFile(join(folder, name))]) : []);
  }

  /** Serves a file of the build, or the page itself for any other path, so that every screen has a URL. */
  serve(request: IncomingMessage, response: ServerResponse, pathname: string): void {
    const name = pathname.slice(1);
    const file = name === "index.html" ? undefined : this.#files.get(name);
    if (file !== undefined) return this.#send(request, response, name, file);
    if (extname(pathname) !== "" && pathname.startsWith("/assets/")) return plain(response, 404, "not found");
    const page = this.#files.get("index.html");
    if (page === undefined) return plain(response, 503, "the designer is not built yet: run 'npm run build'");
    sendPage(response, page);
  }

  #send(request: IncomingMessage, response: ServerResponse, name: string, file: AppFile): void {
    const { bytes, type } = file;
    file.gzip ??= bytes.length > 1024 && !/image\/png|font/.test(type) ? gzipSync(bytes) : undefined;
    const { gzip } = file;
    const zipped = gzip !== undefined && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const body = zipped ? gzip : bytes;
    response.writeHead(200, {
      ...securityHeaders(),
      "content-type": type,
      "content-length": String(body.length),
      "cache-control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    });
    response.end(request.method === "HEAD" ? undefined : body);
  }
}

function sendPage(response: ServerResponse, { bytes }: AppFile): void {
  const nonce = randomBytes(16).toString("base64url");
  response.writeHead(200, { ...securityHeaders(nonce), "content-type": types[".html"], "cache-control": "no-store" });
  response.end(bytes.toString("utf8").replaceAll("{{nonce}}", nonce));
}

function readAppFile(path: string): AppFile {
  return { bytes: readFileSync(path), gzip: undefined, type: types[extname(path)] ?? "application/octet-stream" };
}

function walk(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix)).flatMap((name) => {
    const path = prefix === "" ? name : `${prefix}/${name}`;
    return statSync(join(folder, path)).isDirectory() ? walk(folder, path) : [path];
  });
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...securityHeaders(), "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${text}\n`);
}
