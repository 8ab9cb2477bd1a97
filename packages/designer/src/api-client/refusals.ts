// What this page makes of a call that was refused or did not arrive.
import { ApiError } from "@sluice/client";

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Tells when an answer says that the session is over. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

/** Status 0 means here that the designer's own server does not answer. */
export function refused(error: ApiError): ApiError {
  if (error.status === 0) return new ApiError(0, "The designer's server does not answer. Your text is kept in this browser.", { cause: error });
  if (error.status === 401 && error.message === "sign in first") for (const listener of signedOut) listener();
  return error;
}

/** Calls wait for what they do, such as a replay; nobody waits longer than this. */
export const patienceMs = 300_000;
