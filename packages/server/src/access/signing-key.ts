/** Decodes the key of a signing secret; undefined when it is invalid. */
export function signingKeyBytes(secret: string, preset: string | undefined): Buffer | undefined {
  if (preset !== "standard-webhooks") return secret === "" ? undefined : Buffer.from(secret, "utf8");
  const encoded = secret.startsWith("whsec_") ? secret.slice(6) : secret;
  const key = Buffer.from(encoded, "base64");
  return key.length > 0 && key.toString("base64").replaceAll("=", "") === encoded.replaceAll("=", "") ? key : undefined;
}
