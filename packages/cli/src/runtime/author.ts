import { userInfo } from "node:os";
import { readConfiguration } from "@sluice/server/config";

/** The author in the version history of a runtime: SLUICE_AUTHOR, else the user of the operating system. */
export function author(): string | undefined {
  const configured = readConfiguration().environment["SLUICE_AUTHOR"]?.trim();
  return configured === undefined || configured === "" ? userName() : configured;
}

/** A container may run under a user id without a name. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
