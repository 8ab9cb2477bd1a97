import { realTimeHost } from "@sluice/testkit";
import { expect, it } from "vitest";
import { openDatabase } from "./database-connection.ts";
import { sqliteDriver, sqliteModule } from "./sqlite-driver.ts";

it("reports a database without LISTEN as an error that a retry does not fix", async () => {
  const driver = sqliteDriver(sqliteModule(), { path: ":memory:", busyTimeout: 100 });
  const context = {
    host: realTimeHost(),
    signal: new AbortController().signal,
    load: () => Promise.reject(new Error("not needed")),
    disconnected: () => undefined,
  };
  const database = await openDatabase(driver, { max: 1, idleTimeout: 1_000, connectTimeout: 1_000 }, context);
  await expect(database.listen("orders", { notified: () => undefined, lost: () => undefined })).rejects.toMatchObject({
    message: "sqlite does not support LISTEN: use a PostgreSQL connection",
    retryable: false,
  });
  database.close();
});
