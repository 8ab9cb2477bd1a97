// Sign-in with the one password of the designer. Sessions live in memory: a restart signs everybody out.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

const cookieName = "sluice_designer";
const sessionMs = 12 * 60 * 60 * 1000;
const triesPerMinute = 10;
const mostSessions = 1000;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export class SignIn {
  readonly #password: string | undefined;
  readonly #sessions = new Map<string, number>();
  #tries: number[] = [];

  constructor(password: string | undefined) {
    this.#password = password === undefined || password.trim() === "" ? undefined : password;
  }

  get isRequired(): boolean {
    return this.#password !== undefined;
  }

  isSignedIn(request: IncomingMessage): boolean {
    if (this.#password === undefined) return true;
    const until = this.#sessions.get(cookieOf(request));
    return until !== undefined && until > Date.now();
  }

  /** The cookie of a new session, or a refusal. */
  open(password: string, isSecure: boolean): string {
    const now = Date.now();
    this.#tries = this.#tries.filter((at) => at > now - 60_000);
    if (this.#tries.length >= triesPerMinute) throw new HttpError(429, "too many attempts: wait a minute");
    if (this.#password === undefined || !timingSafeEqual(digest(password), digest(this.#password))) {
      this.#tries.push(now);
      throw new HttpError(401, "the password is not right");
    }
    for (const [key, until] of this.#sessions) if (until <= now || this.#sessions.size >= mostSessions) this.#sessions.delete(key);
    const key = randomBytes(32).toString("base64url");
    this.#sessions.set(digest(key).toString("hex"), now + sessionMs);
    return `${cookieName}=${key}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}${isSecure ? "; Secure" : ""}`;
  }

  close(request: IncomingMessage): string {
    this.#sessions.delete(cookieOf(request));
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }
}

/** The digest of the session key in the cookie: keys themselves are not kept. */
function cookieOf(request: IncomingMessage): string {
  const pair = (request.headers.cookie ?? "").split(";").find((part) => part.trim().startsWith(`${cookieName}=`));
  return digest(pair?.trim().slice(cookieName.length + 1) ?? "").toString("hex");
}
