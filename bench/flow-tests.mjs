// npm run bench:flow-tests — how long `sluice test` takes for 200 test files of three tests each: at most 20 s on two cores.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killOnExit, temporaryFolder } from "./lib/cleanup.mjs";
import { exitCodes, printResult } from "./lib/result.mjs";
import { numbersOf } from "./lib/usage.mjs";

const [files, budgetSeconds] = numbersOf("flow-tests", { name: "files", usual: 200, short: 10 }, { name: "time limit in seconds", usual: 20, short: 20 });
const folder = temporaryFolder("tests");
const flow = (name) => `- route:
    id: ${name}
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - filter: {simple: "\${body[total]} > 100", steps: [{setHeader: {name: big, constant: "yes"}}]}
        - to: {id: partner, uri: "http://partner.invalid/orders", parameters: {httpMethod: POST}}
        - setBody: {simple: "done \${header.big}"}
`;
const test = (name) => `flow: ${name}.yaml
defaults: {unmatched: fail, time: skip}
tests:
  - name: a small order
    mocks: [{id: partner, match: {stepId: partner}, respond: {status: 200}}]
    when: {webhook: ${name}, body: {total: 1}}
    then: [{reply: {status: 200}}, {mockCalled: {mock: partner, times: 1}}]
  - name: a big order
    mocks: [{id: partner, match: {stepId: partner}, respond: {status: 200}}]
    when: {webhook: ${name}, body: {total: 101}}
    then: [{reply: {bodyEquals: done yes}}]
  - name: the partner is down
    mocks: [{id: partner, match: {stepId: partner}, throw: {type: Connect, message: down}}]
    when: {webhook: ${name}, body: {total: 1}}
    then: [{status: failed}, {error: {contains: down}}]
`;
for (let index = 0; index < files; index++) {
  mkdirSync(join(folder, `f${index}`));
  writeFileSync(join(folder, `f${index}/order-${index}.yaml`), flow(`order-${index}`));
  writeFileSync(join(folder, `f${index}/order-${index}.test.yaml`), test(`order-${index}`));
}
const startTime = performance.now();
const command = fileURLToPath(new URL("../packages/cli/bin/sluice.cjs", import.meta.url));
const { error, stdout } = await new Promise((resolve) =>
  killOnExit(
    execFile(process.execPath, [command, "test", folder, "--json"], { maxBuffer: 1 << 28 }, (failure, output) => resolve({ error: failure, stdout: output })),
  ),
);
const seconds = (performance.now() - startTime) / 1_000;
const { passed, failed } = JSON.parse(stdout);
console.log(`${files} files, ${passed} passed, ${failed} failed in ${seconds.toFixed(1)} s (budget ${budgetSeconds} s)`);
printResult("flow-tests", { files, passed, failed, seconds });
if (error !== null) process.exitCode = 1;
else if (seconds > budgetSeconds) process.exitCode = exitCodes.missedGoal;
