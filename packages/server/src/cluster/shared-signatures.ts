// Single-use signatures in a cluster: each is recorded as a claim, so only one request with a given signature is accepted across all nodes.
import { createHash } from "node:crypto";
import type { Claims } from "@sluice/engine";
import type { UsedSignatures } from "../access/schemes/used-signatures.ts";

const hourMs = 3_600_000;

/** The longest time that a claim lasts. */
export const maxSignatureMs = 24 * hourMs;

const empty = new Uint8Array(0);

export const sharedSignatures = (claims: Claims, flowId: string): UsedSignatures => ({
  async checkAndRecord(signature, forMs) {
    const digest = createHash("sha256").update(`${flowId}\n${signature}`).digest("base64url");
    const { won } = await claims.claim(forMs <= hourMs ? "hour" : "day", `signature/${digest}`, empty);
    return !won;
  },
});
