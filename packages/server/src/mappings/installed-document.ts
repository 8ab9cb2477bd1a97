// What tables and mapping documents share when they are installed, replaced and removed.
import { isFlowId } from "../flows/flow-id.ts";
import { StorageError } from "../flows/flow-store.ts";
import { Refusal } from "../refusal.ts";

export interface Kept {
  readonly id: string;
  readonly hash: string;
  readonly lastModified: number;
}

/** The hashes a caller is willing to replace; `*` takes any, but there must be one. */
export type IfMatch = readonly string[] | undefined;

/** Refuses a change that was made for another version than the one that is there. */
export function refuseChanged(noun: string, id: string, ifMatch: IfMatch, current: Kept | undefined): void {
  if (ifMatch === undefined || (current !== undefined && (ifMatch.includes("*") || ifMatch.includes(current.hash)))) return;
  throw new Refusal("changed", `${noun} '${id}' changed since hash ${ifMatch.join(", ")}`);
}

/** File systems differ on whether case counts; two documents must never share a file on any of them. */
export function refuseOtherSpelling(noun: string, id: string, installed: ReadonlyMap<string, Kept>): void {
  if (installed.has(id)) return;
  for (const other of installed.keys())
    if (other.toLowerCase() === id.toLowerCase()) throw new Refusal("conflict", `${noun} id '${id}' differs from ${noun} '${other}' only in case`);
}

export function notFound(noun: string, id: string): Refusal {
  return new Refusal("not-found", `${noun} '${id}' not found`);
}

export function asRefusal(error: unknown): never {
  if (error instanceof StorageError) throw new Refusal(error.kind === "full" ? "storage-full" : "storage-refused", error.message);
  throw error;
}

export const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** The id of a path segment, or the refusal the contract gives. */
export function documentId({ id = "" }: Readonly<Record<string, string>>): string {
  if (!isFlowId(id))
    throw new Refusal("id-invalid", `invalid id '${id.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 140)}': use letters, digits, '.', '_', '-' (max 128)`);
  return id;
}
