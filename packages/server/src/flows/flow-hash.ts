import { createHash } from "node:crypto";

/** Lower-case hex SHA-256, the `hash` and `ETag` of flows and documents. */
export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
