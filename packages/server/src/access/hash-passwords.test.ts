import { describe, expect, it } from "vitest";
import { hashPassword, isPassword, PasswordQueueFull } from "./password-hash.ts";
import type { BasicScheme, SubmittedPassword, Policy, ScryptHash } from "./policy-document.ts";
import { hashPasswords } from "./hash-passwords.ts";

const policyWith = (...names: readonly string[]): Policy<SubmittedPassword> => ({
  authenticate: [{ type: "basic", users: names.map((username) => ({ username, password: { plain: `${username}-word` } })) }],
});
const hashesOf = (policy: Policy): readonly ScryptHash[] =>
  (policy.authenticate as readonly BasicScheme[]).flatMap(({ users }) => users.flatMap(({ password }) => ("scrypt" in password ? [password.scrypt] : [])));

describe("hashPasswords", () => {
  it("hashes every password, and keeps the hash of an unchanged one", async () => {
    const first = await hashPasswords(policyWith("a", "b"), undefined);
    expect(await Promise.all(hashesOf(first).map((hash, index) => isPassword(`${"ab"[index]}-word`, hash)))).toEqual([true, true]);
    expect(await hashPasswords(policyWith("a", "b"), first)).toEqual(first);
    const [, ...others] = hashesOf(await hashPasswords(policyWith("a", "c"), first));
    expect(others).not.toEqual(hashesOf(first).slice(1));
  });

  it("queues behind password checks instead of failing, and lets checks run between its hashes", async () => {
    // Cheap hashes, so that a long queue is processed quickly.
    const cheap: ScryptHash = { ...(await hashPassword("x")), cost: 2 ** 10 };
    const checks = Array.from({ length: 258 }, () => isPassword("x", cheap));
    await expect(isPassword("x", cheap)).rejects.toThrow(PasswordQueueFull);
    const hashing = hashPasswords(policyWith("a", "b", "c", "d"), undefined);
    await Promise.all(checks);
    expect(await isPassword("x", cheap)).toBe(false);
    expect(hashesOf(await hashing)).toHaveLength(4);
  });
});
