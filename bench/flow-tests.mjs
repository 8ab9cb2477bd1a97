// How long `sluice test` takes for 200 test files of three tests each: at most 20 s on two cores.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const files = 200;
const budgetSeconds = 20;
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-tests-"));
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
const began = performance.now();
const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(new URL("../packages/cli/bin/sluice.mjs", import.meta.url)), "test", folder, "--json"], {
  encoding: "utf8",
  maxBuffer: 1 << 28,
});
const seconds = (performance.now() - began) / 1_000;
rmSync(folder, { recursive: true, force: true });
const { passed, failed } = JSON.parse(stdout);
console.log(`${files} files, ${passed} passed, ${failed} failed in ${seconds.toFixed(1)} s (budget ${budgetSeconds} s)`);
process.exitCode = status === 0 && seconds <= budgetSeconds ? 0 : 1;
