// Sign-in with the password of the designer. Sessions are kept in memory: a restart signs out all users.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { SignInRateLimit } from "./sign-in-rate-limit.ts";
import { HttpError } from "./http-error.ts";
import type { RequestSource } from "./request-source.ts";

const cookieName = "sluice_designer";
const sessionMs = 12 * 60 * 60 * 1000;
const maxSessions = 1000;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export class SignIn {
  readonly #password: string | undefined;
  readonly #sessions = new Map<string, number>();
  readonly #rateLimit = new SignInRateLimit();
  readonly #sourceOf: RequestSource;

  constructor(password: string | undefined, sourceOf: RequestSource) {
    this.#sourceOf = sourceOf;
    this.#password = password === undefined || password.trim() === "" ? undefined : password;
  }

  get isRequired(): boolean {
    return this.#password !== undefined;
  }

  isSignedIn(request: IncomingMessage): boolean {
    if (this.#password === undefined) return true;
    const until = this.#sessions.get(sessionKeyDigest(request));
    return until !== undefined && until > Date.now();
  }

  /** True if the password is correct; throws if the source must wait. Attempts are limited per source, so that one client cannot lock out others. */
  isPassword(request: IncomingMessage, password: string): boolean {
    const source = this.#sourceOf(request);
    this.#rateLimit.assertAllowed(source);
    const isCorrect = this.#password !== undefined && timingSafeEqual(digest(password), digest(this.#password));
    if (isCorrect) this.#rateLimit.recordSuccess(source);
    else this.#rateLimit.recordFailure(source);
    return isCorrect;
  }

  /** Returns the cookie of a new session; throws if the password is wrong. */
  open(request: IncomingMessage, password: string): string {
    if (!this.isPassword(request, password)) throw new HttpError(401, "wrong password");
    const now = Date.now();
    const isSecure = request.headers["x-forwarded-proto"] === "https";
    for (const [key, until] of this.#sessions) if (until <= now || this.#sessions.size >= maxSessions) this.#sessions.delete(key);
    const key = randomBytes(32).toString("base64url");
    this.#sessions.set(digest(key).toString("hex"), now + sessionMs);
    return `${cookieName}=${key}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}${isSecure ? "; Secure" : ""}`;
  }

  close(request: IncomingMessage): string {
    this.#sessions.delete(sessionKeyDigest(request));
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }
}

/** The digest of the session key in the cookie; the keys themselves are not stored. */
function sessionKeyDigest(request: IncomingMessage): string {
  const pair = (request.headers.cookie ?? "").split(";").find((part) => part.trim().startsWith(`${cookieName}=`));
  return digest(pair?.trim().slice(cookieName.length + 1) ?? "").toString("hex");
}
