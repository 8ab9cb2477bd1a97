// Stores unsaved changes in the browser, so that a crash or a closed tab loses at most a few seconds. Only the text of flows is stored.

export interface Draft {
  readonly text: string;
  /** Hash of the file that the draft is based on; null for a flow that was never saved. */
  readonly baseHash: string | null;
  readonly at: string;
}

/** The required part of the browser's storage. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const prefix = "sluice.draft.";

export class Drafts {
  readonly #storage: DraftStorage | undefined;
  /** Fallback for storage that is full or disabled. */
  readonly #memory = new Map<string, Draft>();

  constructor(storage: DraftStorage | undefined) {
    this.#storage = storage;
  }

  put(id: string, draft: Draft): boolean {
    this.#memory.set(id, draft);
    try {
      this.#storage?.setItem(prefix + id, JSON.stringify(draft));
      return this.#storage !== undefined;
    } catch {
      return false;
    }
  }

  get(id: string): Draft | undefined {
    return this.#memory.get(id) ?? this.#stored(id);
  }

  remove(id: string): void {
    this.#memory.delete(id);
    try {
      this.#storage?.removeItem(prefix + id);
    } catch {
      // Storage that rejects removal contains no draft.
    }
  }

  /** Flows with a draft that were never saved in the workspace. */
  unsavedIds(): string[] {
    const keys = new Set(this.#memory.keys());
    try {
      for (let index = 0; index < (this.#storage?.length ?? 0); index++) {
        const key = this.#storage?.key(index);
        if (key?.startsWith(prefix) === true) keys.add(key.slice(prefix.length));
      }
    } catch {
      // Fall back to memory.
    }
    return [...keys].filter((id) => this.get(id)?.baseHash === null);
  }

  #stored(id: string): Draft | undefined {
    try {
      const value = JSON.parse(this.#storage?.getItem(prefix + id) ?? "null") as Partial<Draft> | null;
      if (value === null || typeof value.text !== "string" || typeof value.at !== "string") return undefined;
      return { text: value.text, at: value.at, baseHash: typeof value.baseHash === "string" ? value.baseHash : null };
    } catch {
      return undefined;
    }
  }
}

function browserStorage(): DraftStorage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export const drafts = new Drafts(browserStorage());
