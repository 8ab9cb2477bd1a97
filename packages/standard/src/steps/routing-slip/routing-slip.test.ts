import { diagnosticsOf, flow } from "@sluice/testkit";
import { expect, it } from "vitest";

const routes = `
- from: {uri: direct:a, steps: [{setBody: {simple: "\${body}a"}}, {setHeader: {name: slip, constant: "mock:hijack"}}, {setHeader: {name: at, exchangeProperty: CamelSlipEndpoint}}]}
- from: {uri: direct:end, steps: [{stop: {}}]}
`;
const document = (slip: string): string => `- from: {uri: direct:start, steps: [{routingSlip: ${slip}}, {to: "mock:after"}]}${routes}`;

it("follows the slip as evaluated at the start, on the same message", async () => {
  const run = await flow(document('{header: slip, allowedSchemes: "direct,mock"}'));
  expect(await run({ body: "-", headers: { slip: "direct:a,mock:x,direct:a" } })).toMatchObject({ body: "-aa", headers: { at: "direct://a" } });
  expect([...run.mocks.keys()]).toEqual(["x", "after"]);
});

it("treats plain text as the name of a header", async () => {
  const run = await flow(document("itinerary"));
  await run({ headers: { itinerary: ["mock:one"] } });
  expect([...run.mocks.keys()]).toEqual(["one", "after"]);
});

it("stops when a called route ends the exchange", async () => {
  const run = await flow(document('{constant: "direct:end,mock:x"}'));
  await run();
  expect(run.mocks.size).toBe(0);
});

it("requires an expression or slipHeader", () => {
  expect(diagnosticsOf('- routingSlip: {uriDelimiter: ";"}').join()).toContain("routingSlip needs an expression");
});
