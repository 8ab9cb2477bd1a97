import { userInfo } from "node:os";

/** The query that names the author of a change in the version history of a runtime: the user that runs the designer. */
export function authorQuery(): string {
  try {
    return `?by=${encodeURIComponent(userInfo().username)}`;
  } catch {
    // A container may run under a user id without a name.
    return "";
  }
}
