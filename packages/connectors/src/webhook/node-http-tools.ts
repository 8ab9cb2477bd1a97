import { createHash } from "node:crypto";
import type { HttpTools } from "./http-tools.ts";
import { readUpload } from "./multipart.ts";

export const nodeHttpTools: HttpTools = {
  digest: (bytes) => createHash("sha256").update(bytes).digest("base64"),
  readUpload,
};
