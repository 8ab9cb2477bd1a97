// The built page. Only files found by walking its folder at start can be asked for, so no path can lead out of it.
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
  readonly gzip: Buffer | undefined;
  readonly type: string;
}

/** Where the build puts the page, seen from the built server and from its sources. */
export function defaultAppFolder(): string {
  const candidates = ["../../app/", "../../dist/app/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return candidates.find((path) => existsSync(join(path, "index.html"))) ?? (candidates[0] as string);
}

export class AppFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, AppFile>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#names = new Set(existsSync(folder) ? walk(folder, "") : []);
  }

  /** Answers with a file of the build, or with the page itself for any other path, so that every screen has an address. */
  serve(request: IncomingMessage, response: ServerResponse, pathname: string): void {
    const name = pathname.slice(1);
    if (name !== "index.html" && this.#names.has(name)) return this.#send(request, response, name);
    if (extname(pathname) !== "" && pathname.startsWith("/assets/")) return plain(response, 404, "not found");
    if (!this.#names.has("index.html")) return plain(response, 503, "The designer's page is not built yet: run npm run build.");
    this.#sendPage(response);
  }

  #send(request: IncomingMessage, response: ServerResponse, name: string): void {
    const { bytes, gzip, type } = this.#file(name);
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

  #sendPage(response: ServerResponse): void {
    const nonce = randomBytes(16).toString("base64url");
    const text = this.#file("index.html").bytes.toString("utf8").replaceAll("{{nonce}}", nonce);
    response.writeHead(200, { ...securityHeaders(nonce), "content-type": types[".html"], "cache-control": "no-store" });
    response.end(text);
  }

  #file(name: string): AppFile {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const bytes = readFileSync(join(this.#folder, name));
    const type = types[extname(name)] ?? "application/octet-stream";
    const file = { bytes, gzip: bytes.length > 1024 && !/image\/png|font/.test(type) ? gzipSync(bytes) : undefined, type };
    this.#read.set(name, file);
    return file;
  }
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
