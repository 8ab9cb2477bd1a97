// Errors for changes that the disk rejected: what happened, and which version is running.
import { Refusal } from "../refusal.ts";
import { StorageError, type Unflushed } from "./flow-store.ts";

/** The change was not made: the previous version is still on disk and running. */
export function asRefusal(error: unknown): never {
  if (!(error instanceof StorageError)) throw error;
  throw refusalOf(error, error.isFault ? `${error.message}; nothing was changed, the previous version is still running` : error.message);
}

/** The change was made, but may not survive a power failure, as described by `state`. */
export function refuseUnflushed(unflushed: Unflushed, state: string): void {
  if (unflushed !== undefined) throw refusalOf(unflushed, `${unflushed.message}; ${state} if the power fails`);
}

const refusalOf = ({ kind }: StorageError, text: string): Refusal => new Refusal(kind === "full" ? "storage-full" : "storage-refused", text);
