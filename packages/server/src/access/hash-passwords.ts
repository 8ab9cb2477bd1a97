// Converts a policy for storage: new passwords are hashed.
import { hashPassword, isPassword } from "./password-hash.ts";
import type { BasicUser, SubmittedPassword, PasswordSecret, Policy, Scheme } from "./policy-document.ts";

export async function hashPasswords({ authenticate, ...rest }: Policy<SubmittedPassword>, previous: Policy | undefined): Promise<Policy> {
  if (authenticate === undefined) return rest;
  const stored = new Map(
    (previous?.authenticate ?? []).flatMap((scheme) => (scheme.type === "basic" ? scheme.users.map((user) => [user.username, user.password] as const) : [])),
  );
  const hashed: Scheme[] = [];
  for (const scheme of authenticate) hashed.push(await hashSchemePasswords(scheme, stored));
  return { authenticate: hashed, ...rest };
}

async function hashSchemePasswords(scheme: Scheme<SubmittedPassword>, stored: ReadonlyMap<string, PasswordSecret>): Promise<Scheme> {
  if (scheme.type !== "basic") return scheme;
  const users: BasicUser[] = [];
  // Hash sequentially, so that concurrent login attempts wait for one hash only.
  for (const user of scheme.users) users.push(await hashUserPassword(user, stored.get(user.username)));
  return { ...scheme, users };
}

/** An unchanged password keeps its hash, so that repeating a PUT changes nothing. */
async function hashUserPassword({ username, password, ...rest }: BasicUser<SubmittedPassword>, stored: PasswordSecret | undefined): Promise<BasicUser> {
  if (!("plain" in password)) return { username, password, ...rest };
  if (stored !== undefined && "scrypt" in stored && (await isPassword(password.plain, stored.scrypt, "owner"))) return { username, password: stored, ...rest };
  return { username, password: { scrypt: await hashPassword(password.plain) }, ...rest };
}
