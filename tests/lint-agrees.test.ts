// `sluice lint` and a runtime must not disagree: each wrong or doubtful flow has the same problems in both, and only one without errors can be deployed.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findingsIn } from "../packages/cli/src/commands/lint/findings.ts";
import { startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = mkdtempSync(join(tmpdir(), "sluice-lint-agrees-"));
});
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

/** A route with one step, and one that it may call. */
const step = (text: string): string => `- route: {id: r1, from: {uri: "direct:in", steps: [{${text}}]}}
- route: {id: r2, from: {uri: "direct:callee", steps: [{log: x}]}}\n`;
const from = (uri: string): string => `- route: {id: r1, autoStartup: "false", from: {uri: "${uri}", steps: [{log: x}]}}\n`;

const cases: readonly (readonly [yaml: string, problems: readonly string[]])[] = [
  [step(`to: "http://example.com/x?httpMethd=POST"`), ["error endpoint-option-unknown"]],
  [step(`to: "http://example.com/x?userId=1&method=a"`), []],
  [step(`toD: "http://example.com/x?httpMethd=POST"`), ["error endpoint-option-unknown"]],
  [step(`to: "http://:99999/"`), ["error bad-uri"]],
  [step(`toD: "http://\${header.host}/x"`), ["warning egress-denied"]],
  [step(`toD: {uri: "https://\${header.host}", parameters: {httpMethod: GET}}`), ["warning egress-denied"]],
  [step(`wireTap: {uri: "http://api.\${header.domain}/x"}`), ["warning egress-denied"]],
  [step(`recipientList: {simple: "http://\${body}/x"}`), ["warning egress-denied"]],
  [step(`toD: "http://example.com/\${header.id}"`), []],
  [step(`toD: "direct:\${header.id}"`), []],
  [step(`to: "direct:nowhere"`), ["missing consumer-missing"]],
  [step(`to: "direct:callee"`), []],
  [step(`to: "direct:elsewhere"`), []],
  [step(`toD: "direct:nowhere"`), ["missing consumer-missing"]],
  [step(`wireTap: {uri: "seda:nowhere"}`), ["missing consumer-missing"]],
  [step(`recipientList: {constant: "direct:callee,direct:nowhere"}`), ["missing consumer-missing"]],
  [step(`enrich: {constant: "direct:nowhere"}`), ["missing consumer-missing"]],
  [step(`to: "direct:nowhere?failIfNoConsumers=false"`), []],
  [step(`to: "stub:nowhere"`), []],
  [step(`toD: "nosuch:x"`), ["error connector-unknown"]],
  [step(`toD: "direct:callee?nope=1"`), ["error endpoint-option-unknown"]],
  [step(`toD: {uri: "nosuch:x", ignoreInvalidEndpoint: true}`), []],
  [step(`recipientList: {constant: "direct:callee,nosuch:b"}`), ["error connector-unknown"]],
  [step(`routingSlip: {constant: "nosuch:b"}`), ["error connector-unknown"]],
  [step(`pollEnrich: {constant: "nosuch:b"}`), ["error connector-unknown"]],
  [step(`poll: {uri: "direct:callee"}`), ["error endpoint-no-poller"]],
  [step(`to: "sluice:nowhere"`), ["error endpoint-unknown"]],
  [step(`to: "webhook:x"`), ["error endpoint-no-sink"]],
  [from("http://example.com/x"), ["error endpoint-no-source"]],
  [from("quartz:x?cron=99+0+0+*+*+?"), ["error bad-cron"]],
  [from("timer:x?period=soon"), ["error endpoint-option-invalid"]],
  [from("master:a:nosuch:b"), ["error connector-unknown"]],
  [`- errorHandler: {deadLetterChannel: {deadLetterUri: "direct:nowhere"}}\n${from("direct:in")}`, ["missing consumer-missing"]],
  [`- onException: {exception: [java.lang.Exception], steps: [{to: "direct:nowhere"}]}\n${from("direct:in")}`, ["missing consumer-missing"]],
  [`- rest: {path: /x, get: [{to: "direct:nowhere"}]}\n`, ["missing consumer-missing"]],
  [`${from("direct:in")}${from("direct:in").replace("r1", "r2")}`, ["error claim-twice"]],
];

const elsewhere = `- route: {id: other, from: {uri: "direct:elsewhere", steps: [{log: x}]}}\n`;

describe("lint and a runtime", () => {
  it.each(cases)("agree about %s", async (yaml, problems) => {
    expect((await server.putFlow("elsewhere", elsewhere)).status).toBeLessThan(300);
    const expected = (missing: string): readonly string[] => problems.map((problem) => problem.replace("missing ", `${missing} `)).toSorted();
    writeFileSync(join(folder, "other.yaml"), elsewhere);
    const files = [
      { path: join(folder, "flow.yaml"), text: yaml, kind: "flow" as const },
      { path: join(folder, "other.yaml"), text: elsewhere, kind: "flow" as const },
    ];
    const findings = await findingsIn(files, { params: {}, profile: undefined, environment: {} });
    expect(findings.map(({ severity, code }) => `${severity} ${code}`).toSorted()).toEqual(expected("error"));
    for (const { line, column } of findings) expect([line, column]).not.toEqual([1, 1]);

    const { problems: found } = (await server.api("POST", "/flows/validate", { yaml })).json;
    const validated = found.map(({ severity, code }: { readonly severity: string; readonly code: string }) => `${severity} ${code}`);
    expect(validated.toSorted()).toEqual(expected("warning"));
    const reply = await server.putFlow("flow", yaml);
    const hasErrors = problems.some((problem) => problem.startsWith("error"));
    expect([reply.status, reply.json.error]).toEqual(hasErrors ? [422, expect.any(String)] : [201, undefined]);
    if (!hasErrors) expect(reply.json.warnings).toHaveLength(problems.length);
    await server.api("DELETE", "/flows/flow");
  });
});
