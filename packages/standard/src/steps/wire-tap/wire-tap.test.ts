import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

const document = (tap: string): string => `
- from:
    uri: direct:start
    steps:
      - wireTap: {uri: "${tap}"}
      - setBody: {constant: main}
- from:
    uri: direct:tap
    steps:
      - delay: {constant: "100"}
      - setBody: {simple: "tap \${body} \${exchange.pattern}"}
      - to: mock:tap
- from:
    uri: direct:bad
    steps: [{throwException: {exceptionType: java.lang.Exception, message: no}}]
`;

it("sends a copy of the current message without waiting for it", async () => {
  const run = await flow(document("direct:tap"));
  expect((await run({ body: "x", delivery: { pattern: "InOut" } })).body).toBe("main");
  expect(run.mocks.size).toBe(0);
  await run.host.clock.advance(100);
  expect(run.mocks.get("tap")?.[0]?.body).toBe("tap x InOnly");
});

it.each(["direct:bad", "nosuch:${body}", "direct:${header.none}x"])("continues when the copy fails: %s", async (uri) => {
  const run = await flow(document(uri));
  expect(await run({ body: "x" })).toMatchObject({ body: "main", error: undefined });
});

it("can send a variable instead of the body", async () => {
  const run = await flow(`
    - setVariable: {name: v, constant: V}
    - wireTap: {uri: mock:tap, variableSend: v}
  `);
  expect((await run({ body: "x" })).body).toBe("x");
  await run.host.clock.advance(1);
  expect(run.mocks.get("tap")?.[0]?.body).toBe("V");
});
