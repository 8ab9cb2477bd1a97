import { createHash } from "node:crypto";

/** The hash of a document as the management API reports it. */
export const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
