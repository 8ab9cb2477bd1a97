// The workspace folder. User files are at the top level, internal files of the designer in `.sluice`.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { HttpError } from "../http/http-error.ts";
import { defaultCategories, readCategories, type Category } from "./categories.ts";
import { DeployRecords } from "./deploy-records.ts";
import { writeWorkspaceFile, type WriteFile } from "./durable-file.ts";
import { sampleFlow, sampleFlowId } from "./sample-flow.ts";
import { assertId, TextFiles } from "./text-files.ts";
import { Versions } from "./versions.ts";

/** Document kinds other than flows, each with its folder. */
const documentKinds = ["value-mappings", "message-mappings"] as const;

export class Workspace {
  readonly folder: string;
  readonly flows: TextFiles;
  readonly versions: Versions;
  readonly records: DeployRecords;
  readonly #write: WriteFile;
  readonly #categoryFiles: TextFiles;
  readonly #documents: ReadonlyMap<string, TextFiles>;
  readonly #tests = new Map<string, TextFiles>();

  constructor(folder: string, write: WriteFile = writeWorkspaceFile) {
    this.folder = resolve(folder);
    this.#write = write;
    this.flows = new TextFiles(join(this.folder, "flows"), ".yaml", write);
    this.versions = new Versions(join(this.folder, ".sluice/versions"), write);
    this.records = new DeployRecords(join(this.folder, ".sluice/deploys"), write);
    this.#categoryFiles = new TextFiles(this.folder, ".yaml", write);
    this.#documents = new Map(documentKinds.map((kind) => [kind, new TextFiles(join(this.folder, kind), ".yaml", write)]));
  }

  /** Creates the folder; a new workspace gets the sample flow and the default categories. */
  async prepare(): Promise<void> {
    const isNew = !existsSync(join(this.folder, "flows"));
    // First, so that an error names the folder that the user chose.
    await createFolder(this.folder);
    await createFolder(join(this.folder, "flows"));
    if (isNew) await this.flows.save(sampleFlowId, sampleFlow, null).catch(() => undefined);
    if (!existsSync(join(this.folder, "categories.yaml"))) await this.#categoryFiles.save("categories", defaultCategories, null).catch(() => undefined);
  }

  async categories(): Promise<{ categories: readonly Category[]; text: string; hash: string | null; error?: string }> {
    const file = await this.#categoryFiles.read("categories");
    const text = file?.text ?? defaultCategories;
    try {
      return { categories: readCategories(text), text, hash: file?.hash ?? null };
    } catch (error) {
      // Invalid categories must not block the designer.
      return { categories: [], text, hash: file?.hash ?? null, error: (error as Error).message };
    }
  }

  async saveCategories(text: string, expectedHash: string | null): Promise<void> {
    readCategories(text);
    await this.#categoryFiles.save("categories", text, expectedHash);
  }

  documents(kind: string): TextFiles {
    const files = this.#documents.get(kind);
    if (files === undefined) throw new HttpError(404, `unknown document kind '${kind.slice(0, 60)}'`);
    return files;
  }

  /** The test files of one flow. */
  tests(flowId: string): TextFiles {
    assertId(flowId);
    const files = this.#tests.get(flowId) ?? new TextFiles(join(this.folder, "tests", flowId), ".test.yaml", this.#write);
    this.#tests.set(flowId, files);
    return files;
  }

  async readState(name: string): Promise<string | undefined> {
    return readFile(join(this.folder, ".sluice", name), "utf8").catch(() => undefined);
  }

  async writeState(name: string, text: string): Promise<void> {
    await this.#write(join(this.folder, ".sluice", name), Buffer.from(text, "utf8"));
  }
}
