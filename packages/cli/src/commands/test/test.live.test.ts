import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../command/program.ts";
import { recordedTerminal } from "../../terminal/recorded-terminal.test-support.ts";
import { commands } from "../index.ts";

// Loading the runtime's sources is slow: do it once, before the first test.
beforeAll(() => import("@sluice/server"), 300_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-tests-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function sluiceTest(...args: readonly string[]) {
  const terminal = recordedTerminal();
  const exit = await runProgram(commands, ["test", folder, ...args], terminal);
  return { exit, output: terminal.output().replaceAll(`${folder}/`, ""), stderr: terminal.stderr().replaceAll(`${folder}/`, "") };
}

const chooserFlow = `- route:
    id: chooser
    from:
      uri: direct:choose
      steps:
        - choice:
            id: pick
            when:
              - {simple: "\${body} > 10", steps: [{setBody: {id: big, constant: big}}]}
            otherwise:
              steps: [{setBody: {id: small, constant: small}}]
        - filter: {id: loud, simple: "\${body} == 'big'", steps: [{log: {id: shout, message: BIG}}]}
- route:
    id: ticking
    from: {uri: "timer:tick?period=10", steps: [{to: {id: partner, uri: "http://partner.invalid/tick"}}]}
`;

describe("sluice test", () => {
  it("passes, and lists steps and branches that were never reached", async () => {
    put({
      "chooser.yaml": chooserFlow,
      "chooser.test.yaml":
        "flow: chooser.yaml\ntests:\n  - {name: small one, when: {direct: choose, body: 3}, then: [{status: completed}, {visited: [small]}]}\n",
    });
    const { exit, output } = await sluiceTest("--coverage");
    expect(output).toContain("chooser.test.yaml\n  ✓ small one");
    // 3 of 6 steps ran: pick, small and loud. 2 of 4 branches were taken: "pick: otherwise" and "loud: skipped".
    expect(output).toContain("Coverage of chooser: steps 50.0%, branches 50.0%");
    expect(output).toContain("never reached: big (line 9), pick: when (line 9), shout (line 12), loud: steps (line 12), partner (line 15)");
    expect(exit).toBe(0);
  });

  it("does not fire timers, and calls their routes on request, with the mocks of the test", async () => {
    put({
      "chooser.yaml": chooserFlow,
      "chooser.test.yaml":
        "flow: chooser.yaml\ntests:\n  - {name: tick, mocks: [{id: p, match: {stepId: partner}, respond: {status: 200}}], when: {route: ticking}, then: [{mockCalled: {mock: p, times: 1}}]}\n  - {name: unmocked, when: {route: ticking}, then: [{status: completed}]}\n",
    });
    const { exit, output } = await sluiceTest();
    expect(output).toContain("✓ tick");
    expect(output).toMatch(
      /✗ unmocked( \(\d+ ms\))?\n +chooser\.test\.yaml:4 expected status completed, got failed \(no mock for 'http:\/\/partner\.invalid\/tick'/,
    );
    expect(output).toContain("1 passed, 1 failed in 1 file");
    expect(exit).toBe(1);
  });

  it("shrinks a generated input to the smallest that fails", async () => {
    put({
      "chooser.yaml": chooserFlow,
      "number.json": '{"type": "integer", "minimum": 0, "maximum": 500}',
      "chooser.test.yaml":
        "flow: chooser.yaml\ntests:\n  - {name: always small, when: {direct: choose, generate: {schema: number.json, runs: 100, seed: 3}}, then: [{visited: [small]}]}\n",
    });
    const { exit, output } = await sluiceTest();
    expect(output).toMatch(/expected visited: small; .*; with the generated body 11 \(run \d+ of 100, shrunk \d+ times, seed 3\)/);
    expect(exit).toBe(1);
  });

  it("an unknown assertion is reported with its line, and the other files still run", async () => {
    put({
      "chooser.yaml": chooserFlow,
      "a.test.yaml": "flow: chooser.yaml\ntests:\n  - name: t\n    when: {direct: choose}\n    then:\n      - mockCaled: erp\n",
      "b.test.yaml": "flow: chooser.yaml\ntests: [{name: fine, when: {direct: choose, body: 1}, then: [{status: completed}]}]\n",
      "c.test.yaml": "flow: gone.yaml\ntests: [{name: t, when: {direct: a}, then: [{status: completed}]}]\n",
    });
    const { exit, output } = await sluiceTest();
    expect(output).toContain("a.test.yaml:6:9 tests.0.then.0.mockCaled: unknown assertion 'mockCaled' (did you mean 'mockCalled'?)");
    expect(output).toContain("✓ fine");
    expect(output).toContain("c.test.yaml:1:1 file 'gone.yaml' not found");
    expect(output).toContain("1 passed, 2 files could not run");
    expect(exit).toBe(2);
  });

  it("writes a JSON report with the counts to a file", async () => {
    put({
      "chooser.yaml": chooserFlow,
      "chooser.test.yaml":
        "flow: chooser.yaml\ntests: [{name: one, when: {direct: choose, body: 1}, then: [{status: failed}]}, {name: two, when: {direct: choose}, then: [{status: completed}]}]\n",
    });
    const { exit, output, stderr } = await sluiceTest("--json", "--output", join(folder, "report.json"), "--filter", "one");
    expect([exit, output]).toEqual([1, ""]);
    expect(stderr).toContain("0 passed, 1 failed in 1 file");
    expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))).toMatchObject({
      passed: 0,
      failed: 1,
      broken: 0,
      files: [{ tests: [{ name: "one", line: 2, passed: false }] }],
    });
  });

  it("updates expectations with actual results on request, and keeps the rest", async () => {
    const file = (reply: string): string =>
      `flow: chooser.yaml # the flow\ntests:\n  # a comment\n  - {name: a, when: {direct: choose, body: 3}, then: [{status: completed}, {reply: {bodyEquals: ${reply}}}]}\n  - {name: b, when: {direct: choose, body: 30}, then: [{status: failed}]}\n`;
    put({ "chooser.yaml": chooserFlow, "chooser.test.yaml": file("tiny") });
    const { exit, output } = await sluiceTest("--update", "--filter", "a", "--coverage", "--json");
    expect([exit, JSON.parse(output)]).toMatchObject([0, { passed: 1, failed: 0 }]);
    const { steps } = JSON.parse(output).coverage[0] as { readonly steps: readonly { readonly id: string; readonly hits: number }[] };
    expect(steps.find(({ id }) => id === "pick")?.hits, "the run before the update does not count").toBe(1);
    expect(readFileSync(join(folder, "chooser.test.yaml"), "utf8")).toBe(file("small"));
    expect((await sluiceTest("--update")).output).toContain("✗ b");
  });

  it("reports when there are no tests or no runtime", async () => {
    put({ "chooser.yaml": chooserFlow });
    expect(await sluiceTest()).toMatchObject({ exit: 1, stderr: expect.stringContaining("sluice test: no test file found in ") });
    put({ "chooser.test.yaml": "flow: chooser.yaml\ntests: [{name: t, when: {direct: choose}, then: [{status: completed}]}]\n" });
    expect(await sluiceTest("--runtime", "http://127.0.0.1:9")).toMatchObject({ exit: 2 });
    expect(await sluiceTest("--runtime", "ftp://x")).toMatchObject({
      exit: 2,
      stderr: "sluice test: 'ftp://x' is not an HTTP URL: use for example http://127.0.0.1:8080\n",
    });
  });
});
