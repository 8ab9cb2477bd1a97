import type { Claim, ClaimSet, Cluster } from "@sluice/engine";

/** The boot id of the process that owns a claim. */
export const ownerOf = ({ note }: Claim): string => Buffer.from(note).toString();

/** Claims a key for this process. Takes a claim over from a process for which `isStale` is true; if several nodes try this, one wins. */
export async function claimForProcess({ claims, boot }: Cluster, set: ClaimSet, key: string, isStale: (boot: string) => boolean): Promise<Claim> {
  const attempt = (): Promise<Claim> => claims.claim(set, key, Buffer.from(boot));
  const claim = await attempt();
  if (claim.won || !isStale(ownerOf(claim))) return claim;
  await claims.release(claim);
  return attempt();
}
