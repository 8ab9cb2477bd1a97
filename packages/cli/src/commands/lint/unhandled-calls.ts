// Calls of routes that none of the linted flows has.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostic } from "@sluice/model";
import { unhandledCalls, type Prepared } from "@sluice/server/check";
import { isFlowFile } from "../../files/yaml-files.ts";

export class CallCheck {
  readonly #isLinted: (path: string) => boolean;
  readonly #consumed = new Set<string>();
  readonly #hasOthers = new Map<string, Promise<boolean>>();
  #hasUnknownRoutes = false;

  /** `paths`: all linted files. */
  constructor(paths: readonly string[]) {
    const linted = new Set(paths.map((path) => resolve(path)));
    this.#isLinted = (path) => linted.has(resolve(path));
  }

  /** Records the routes of a flow. The returned function finds its unhandled calls when all flows are recorded. */
  add(path: string, prepared: Pick<Prepared, "tree" | "calls" | "consumed">): () => Promise<readonly Diagnostic[]> {
    // The routes of a text that cannot be parsed are not known.
    if (prepared.tree === undefined) this.#hasUnknownRoutes = true;
    for (const address of prepared.consumed) this.#consumed.add(address);
    const own = unhandledCalls(prepared);
    return async () => {
      const unhandled = own.filter((call) => !this.#consumed.has(call.path));
      if (unhandled.length === 0 || this.#hasUnknownRoutes || (await this.#hasOtherFlows(dirname(path)))) return unhandled;
      return unhandled.map((call) => ({ ...call, severity: "error" as const }));
    };
  }

  /** A flow next to the linted ones may have the called route, as one that is deployed later may. */
  #hasOtherFlows(folder: string): Promise<boolean> {
    const known = this.#hasOthers.get(folder) ?? this.#findOtherFlow(folder);
    this.#hasOthers.set(folder, known);
    return known;
  }

  async #findOtherFlow(folder: string): Promise<boolean> {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, name);
      if (!this.#isLinted(path) && (await isFlowFile(path))) return true;
    }
    return false;
  }
}
