// Optional parts: native and WebAssembly packages that may be missing on a platform or in an installation.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { connectionIndex, connectorIndex, findClient, findSqlite, howToGetSqlite, installCommand, sqlitePackage } from "@sluice/connectors";
import type { Settings } from "./config.ts";
import { loadDriver } from "./store/sqlite.ts";

export interface OptionalPart {
  readonly name: string;
  readonly isAvailable: boolean;
  /** Describes the part and its origin, or the features that are unavailable without it. */
  readonly text: string;
  readonly fix?: string;
}

export function optionalParts(settings: Pick<Settings, "functions" | "enableJs">): readonly OptionalPart[] {
  return [durableStore(), jsLanguage(settings.enableJs), functions(settings.functions)];
}

export interface ClientPart {
  /** The connection types or connectors that need it. */
  readonly users: readonly string[];
  readonly package: string;
  readonly tested: string;
  /** The installed version; undefined when the package is not installed. */
  readonly installed: string | undefined;
  readonly isTested: boolean;
  /** The command that installs the tested version. */
  readonly install: string;
}

/** The client packages of connections and connectors, with their installed versions. */
export function clientParts(): readonly ClientPart[] {
  const needs = [
    ...connectionIndex.flatMap(({ type, needs: own }) => own.map((clientPackage) => ({ user: type, clientPackage }))),
    ...connectorIndex.flatMap(({ scheme, needs: own }) => own.map((clientPackage) => ({ user: scheme, clientPackage }))),
  ];
  const names = [...new Set(needs.map(({ clientPackage }) => clientPackage.package))].toSorted();
  return names.map((name) => {
    const samePackage = needs.filter(({ clientPackage }) => clientPackage.package === name);
    const { clientPackage } = samePackage[0] as (typeof samePackage)[number];
    const client = findClient(clientPackage);
    return {
      users: [...new Set(samePackage.map(({ user }) => user))],
      package: name,
      tested: clientPackage.version,
      installed: client?.version,
      isTested: client?.isTested === true,
      install: installCommand(clientPackage),
    };
  });
}

/** Operating system, architecture and, on Linux, the C library, which determine native packages. */
export function platformName(): string {
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  const library = process.platform !== "linux" ? "" : header.glibcVersionRuntime === undefined ? " (musl)" : ` (glibc ${header.glibcVersionRuntime})`;
  return `${process.platform} ${process.arch}${library}`;
}

function durableStore(): OptionalPart {
  const name = "durable store";
  const path = findSqlite();
  const missing = { name, isAvailable: false, fix: howToGetSqlite() };
  if (path === undefined) return { ...missing, text: `Node ${process.versions.node} does not include SQLite: durable queues and dead letters do not work` };
  try {
    // A package without a binary for this platform is found but fails to load.
    new (loadDriver(path).DatabaseSync)(":memory:").close();
    const version = path === "node:sqlite" ? `${process.versions["sqlite"]} built into Node` : `from the package ${sqlitePackage.package}`;
    return { name, isAvailable: true, text: `SQLite ${version}` };
  } catch (error) {
    const reason = ((error as Error).message.split("\n", 1)[0] ?? "").slice(0, 200);
    return { ...missing, text: `SQLite cannot be loaded: durable queues and dead letters do not work (${reason})` };
  }
}

function jsLanguage(isEnabled: boolean): OptionalPart {
  const name = "js language";
  try {
    createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync");
    return { name, isAvailable: true, text: `QuickJS is installed, ${isEnabled ? "enabled" : "disabled (SERVICE_ENABLE_JS)"}` };
  } catch {
    return { name, isAvailable: false, text: "QuickJS is not installed", fix: "install the package @jitl/quickjs-wasmfile-release-sync" };
  }
}

function functions(path: string | undefined): OptionalPart {
  const name = "functions";
  if (path === undefined) return { name, isAvailable: true, text: "none configured (SERVICE_FUNCTIONS)" };
  const file = resolve(path);
  return existsSync(file)
    ? { name, isAvailable: true, text: file }
    : { name, isAvailable: false, text: `${file} does not exist`, fix: "set SERVICE_FUNCTIONS to an existing module" };
}
