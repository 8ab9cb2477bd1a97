import { afterAll, expect, it } from "vitest";
import { inDatabases } from "./databases.test-support.ts";
import { jdbcMessageIdRepository } from "./jdbc-message-id-repository.ts";

await inDatabases("a JDBC repository", ["SQLite", "PostgreSQL", "MariaDB"], ({ flow, end }) => {
  afterAll(() => end());

  it("distinguishes keys by case and accents", async () => {
    const run = await flow(
      `
- beans: [{name: seen, type: "#class:org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository", properties: {dataSource: db, processorName: orders}}]
- route: {from: {uri: "direct:start", steps: [{idempotentConsumer: {idempotentRepository: seen, expression: {simple: "\${body}"}, steps: [{to: "mock:new"}]}}]}}`,
      [jdbcMessageIdRepository],
    );
    // Not part of a test session, whose keys are stored in memory.
    for (const body of ["abc", "ABC", "ábc", "abc", "ABC"]) expect((await run({ body, delivery: { session: undefined as never } })).error).toBeUndefined();
    expect(run.mocks.get("new")?.map(({ body }) => body)).toEqual(["abc", "ABC", "ábc"]);
  });
});
