// The open test sessions: opening, limits, expiry, closing.
import type { SessionTag } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";
import { unguessableId } from "../host/ulid.ts";
import type { OpenBody } from "./session-body.ts";
import { TestSession, type SessionParts } from "./test-session.ts";

export interface TestSessionsOptions extends SessionParts {
  readonly mode: "on" | "isolated" | "off";
  readonly maxSessions: number;
  /** Called when a session has expired. */
  expired?(): void;
}

const defaultTtlMs = 60_000;
const minTtlMs = 1_000;
const maxTtlMs = 3_600_000;
/** How long the calls of an expired session can be fetched. */
const retentionMs = 300_000;

export interface TestSessions {
  open(body: OpenBody): TestSession;
  /** The flows that a session would mock. */
  flowsOf(body: OpenBody): readonly string[];
  /** The open sessions and the flows that they mock. */
  openSessions(): { readonly tags: readonly Pick<SessionTag, "id" | "skipTime">[]; readonly flows: readonly string[] };
  /** The session with this id, open or expired; otherwise throws 404. */
  get(id: string): TestSession;
  /** Like `get`, but throws if it has expired. */
  getOpen(id: string): TestSession;
  close(id: string): TestSession;
  /** For webhook calls with a session header. */
  tagOf(id: string): SessionTag | "expired" | undefined;
  isOpen(id: string): boolean;
  /** True for an open or expired session. */
  isKnown(id: string): boolean;
  readonly openCount: number;
  /** True while a session mocks all traffic, not only its own messages. */
  readonly mocksAllTraffic: boolean;
  closeAll(): void;
}

export function createTestSessions(options: TestSessionsOptions): TestSessions {
  const sessions = new Map<string, { readonly session: TestSession; cancel: () => void }>();

  const openSessions = (): TestSession[] => [...sessions.values()].map(({ session }) => session).filter((session) => !session.expired);

  function expire(session: TestSession): void {
    session.expired = true;
    session.end();
    const entry = sessions.get(session.id);
    options.expired?.();
    if (entry !== undefined) entry.cancel = options.clock.after(retentionMs, () => sessions.delete(session.id));
  }

  function rejectOverlap(session: TestSession): void {
    if (session.scope !== "deployment") return;
    const steps = session.mockedSteps;
    for (const other of openSessions()) {
      if (other.scope !== "deployment") continue;
      const shared = [...other.mockedSteps].find((step) => steps.has(step));
      if (shared !== undefined)
        throw new ServiceError("conflict", `step '${shared}' is already mocked by another test session: close it, or use scope "session"`);
    }
  }

  function makeRoom(): void {
    if (openSessions().length >= options.maxSessions)
      throw new ServiceError("too-many", `at most ${options.maxSessions} test sessions can be open: close one, or wait until one expires`, {
        "Retry-After": "10",
      });
    // Expired sessions are kept only while there is space.
    for (const { session } of sessions.values()) {
      if (sessions.size < options.maxSessions * 2) return;
      if (session.expired) remove(session.id);
    }
  }

  function remove(id: string): void {
    sessions.get(id)?.cancel();
    sessions.delete(id);
  }

  function get(id: string): TestSession {
    const session = sessions.get(id)?.session;
    if (session === undefined) throw new ServiceError("not-found", `test session '${id.slice(0, 100)}' not found`);
    return session;
  }

  return {
    open(body) {
      if (options.mode === "off") throw new ServiceError("forbidden", "test sessions are disabled on this runtime: start it with SERVICE_TEST_SESSIONS=on");
      const scope = body.scope ?? "deployment";
      if (options.mode === "isolated" && scope === "deployment")
        throw new ServiceError("forbidden", 'this runtime allows only test sessions with scope "session" (SERVICE_TEST_SESSIONS=isolated)');
      const ttlMs = body.ttlMs ?? defaultTtlMs;
      if (!Number.isInteger(ttlMs) || ttlMs < minTtlMs || ttlMs > maxTtlMs)
        throw new ServiceError("body-invalid", `ttlMs must be an integer from ${minTtlMs} to ${maxTtlMs}`);
      makeRoom();
      const session = new TestSession(`ts_${unguessableId()}`, body, ttlMs, options);
      rejectOverlap(session);
      session.activate();
      sessions.set(session.id, { session, cancel: options.clock.after(ttlMs, () => expire(session)) });
      return session;
    },
    get,
    getOpen(id) {
      const session = get(id);
      if (session.expired) throw new ServiceError("gone", `test session '${id}' expired`);
      return session;
    },
    close(id) {
      const session = get(id);
      session.end();
      remove(id);
      return session;
    },
    tagOf(id) {
      const session = sessions.get(id)?.session;
      return session?.expired === true ? "expired" : session?.tag;
    },
    flowsOf: (body) => new TestSession("", body, defaultTtlMs, options).flows,
    openSessions() {
      const current = openSessions();
      return { tags: current.map(({ tag: { id, skipTime } }) => ({ id, skipTime })), flows: [...new Set(current.flatMap(({ flows }) => flows))] };
    },
    isKnown: (id) => sessions.has(id),
    isOpen: (id) => sessions.get(id)?.session.expired === false,
    get mocksAllTraffic() {
      return openSessions().some((session) => session.scope === "deployment" && session.isActive);
    },
    get openCount() {
      return openSessions().length;
    },
    closeAll() {
      for (const { session } of sessions.values()) {
        session.end();
        remove(session.id);
      }
    },
  };
}
