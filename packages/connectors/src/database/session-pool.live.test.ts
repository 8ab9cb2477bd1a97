// Tests the pool when the server starts to reject logins while sessions are open, because the role is no longer allowed to log in.
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { FakeClock, serverFor } from "@sluice/testkit";
import { pgCursorPackage, pgPackage, postgresDriver, type PgCursorModule, type PgModule } from "./postgres-driver.ts";
import { SessionPool } from "./session-pool.ts";

const server = await serverFor("postgres");
const pg = (await import(pgPackage.package)) as PgModule;
const cursors = (await import(pgCursorPackage.package)) as PgCursorModule;

describe.skipIf(server === undefined)("rejected logins (needs PostgreSQL)", () => {
  const role = `sluice_pool_${process.pid}`;
  const address = { host: server?.host, port: server?.port, database: "postgres" };
  const admin = new pg.default.Client({ ...address, user: "postgres" });
  const connecting = server === undefined ? undefined : admin.connect();
  const driver = postgresDriver(pg, cursors, { ...address, user: role });
  const pools: SessionPool[] = [];
  /** No timeout expires unless the test advances the clock. */
  const clock = new FakeClock();
  const poolOf = (connectTimeout: number): SessionPool => {
    const pool = new SessionPool(driver, { max: 3, idleTimeout: 60_000, connectTimeout }, clock, () => undefined);
    pools.push(pool);
    return pool;
  };
  const rejection = new RegExp(`role "${role}" is not permitted to log in`);

  beforeEach(async () => {
    await connecting;
    await admin.query(`drop role if exists ${role}`);
    await admin.query(`create role ${role} login`);
  });
  afterAll(async () => {
    for (const pool of pools) pool.close();
    await admin.query(`drop role if exists ${role}`);
    await admin.end();
    await server?.end();
  });

  it("fail all callers immediately when no session is in use", async () => {
    await admin.query(`alter role ${role} nologin`);
    const pool = poolOf(20_000);
    for (let call = 0; call < 3; call++) await expect(pool.acquire()).rejects.toThrow(rejection);
    const results = await Promise.allSettled([pool.acquire(), pool.acquire()]);
    for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(rejection) } });
  });

  it("are reported to a caller that waits in vain for a session to be released", async () => {
    const pool = poolOf(500);
    const session = await pool.acquire();
    await admin.query(`alter role ${role} nologin`);
    await expect(pool.acquire()).rejects.toThrow(rejection);
    const inVain = expect(pool.acquire()).rejects.toThrow(rejection);
    await clock.advance(500);
    await inVain;
    const waiting = pool.acquire();
    pool.release(session);
    expect(await waiting).toBe(session);
  });

  it("fail the waiting callers when the last session is lost", async () => {
    const pool = poolOf(20_000);
    const session = await pool.acquire();
    await admin.query(`alter role ${role} nologin`);
    await expect(pool.acquire()).rejects.toThrow(rejection);
    const waiting = pool.acquire();
    session.destroy();
    pool.release(session);
    await expect(waiting).rejects.toThrow(rejection);
  });
});
