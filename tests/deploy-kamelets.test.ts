// `sluice deploy` with the Kamelets of a project: the command as a process, against a real runtime.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cliFolder, type CliFolder } from "./cli-process.ts";
import { call, startTestServer, token, type StartedServer } from "./started-server.ts";

const action = (name: string, steps: string, definition = "{}"): string => `apiVersion: camel.apache.org/v1
kind: Kamelet
metadata:
  name: ${name}
spec:
  definition: ${definition}
  template:
    from:
      uri: kamelet:source
      steps:
${steps.replaceAll(/^/gm, "        ")}
`;
const greeting = (text: string, definition?: string): string => action("greet-action", `- setBody: {simple: "${text}"}\n- kamelet: mark-action`, definition);
const mark = (text: string): string => action("mark-action", `- setBody: {simple: "\${body}${text}"}`);
const needsWord = "{required: [word], properties: {word: {type: string}}}";
const flow = (id: string, uri: string): string => `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n        - to: "${uri}"\n`;

describe("sluice deploy with Kamelets", () => {
  let server: StartedServer;
  let folder: CliFolder;
  beforeEach(async () => {
    server = await startTestServer();
    folder = cliFolder({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token });
    put({
      "package.json": "{}",
      "kamelets/greet-action.kamelet.yaml": greeting("Hello ${body}"),
      "kamelets/mark-action.kamelet.yaml": mark("!"),
      "kamelets/unused-action.kamelet.yaml": mark("?").replace("mark-action", "unused-action"),
      "flows/greet.yaml": flow("greet", "kamelet:{{which}}"),
      "flows/greet.params.json": `{"which": "greet-action"}`,
    });
  });
  afterEach(async () => {
    await server.end();
    folder.remove();
  });
  // Below the home directory of the process, at which the search for folders of a project ends.
  const put = (files: Readonly<Record<string, string>>): void =>
    folder.put(Object.fromEntries(Object.entries(files).map(([name, text]) => [`project/${name}`, text])));
  const sluice = (...args: readonly string[]) => folder.shell(`cd project && sluice ${args.join(" ")}`);
  const replyText = async (id = "greet"): Promise<string> => (await call(server.baseUrl, "POST", `/api/${id}`, "Ada")).text;
  const installed = async (): Promise<readonly string[]> =>
    (await server.api("GET", "/kamelets")).json.kamelets.map(({ name, origin }: { name: string; origin: string }) => `${name} ${origin}`);

  it("previews and deploys the used Kamelets in dependency order before the flows, and has nothing to do afterwards", async () => {
    const preview = await sluice("deploy", "flows", "--dry-run");
    expect([preview.exit, preview.output, preview.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^\+ kamelet mark-action \(kamelets\/mark-action\.kamelet\.yaml\)\n\+ kamelet greet-action \(kamelets\/greet-action\.kamelet\.yaml\)\n\+ flow greet \(flows\/greet\.yaml\)\n/,
      ),
      expect.stringContaining("3 of 3 artifacts would change; nothing was deployed"),
    ]);
    expect(await installed()).toEqual([]);
    const deployed = await sluice("deploy", "flows");
    expect([deployed.exit, deployed.stderr]).toEqual([0, expect.stringContaining("3 artifacts deployed to ")]);
    expect(await installed()).toEqual(["greet-action deployed", "mark-action deployed"]);
    expect(await replyText()).toBe("Hello Ada!");
    const repeated = await sluice("deploy", "flows");
    expect([repeated.exit, repeated.output, repeated.stderr]).toEqual([
      0,
      expect.stringContaining("= kamelet mark-action (kamelets/mark-action.kamelet.yaml) unchanged"),
      expect.stringContaining("Nothing to do: all artifacts are up to date"),
    ]);

    put({ "kamelets/mark-action.kamelet.yaml": mark("?") });
    const changed = JSON.parse((await sluice("deploy", "flows", "--json")).output) as { changes: { id: string; action: string; flows?: string[] }[] };
    expect(changed.changes.map(({ id, action: what, flows }) => [id, what, flows])).toEqual([
      ["mark-action", "replace", ["greet"]],
      ["greet-action", "same", undefined],
      ["greet", "same", undefined],
    ]);
    expect(await replyText()).toBe("Hello Ada?");
  });

  it("checks the flows against the new Kamelets, and deploys changes to both that need each other", async () => {
    expect((await sluice("deploy", "flows")).exit).toBe(0);
    put({ "kamelets/greet-action.kamelet.yaml": greeting("{{word}} ${body}", needsWord) });
    for (const args of [
      ["deploy", "flows", "--dry-run"],
      ["deploy", "flows"],
    ]) {
      const refused = await sluice(...args);
      expect([refused.exit, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/flows\/greet\.yaml: line 6: Kamelet 'greet-action' needs a value for parameter 'word'/),
      ]);
    }
    expect(await replyText()).toBe("Hello Ada!");
    put({ "flows/greet.params.json": `{"which": "greet-action?word=Hi"}` });
    const both = await sluice("deploy", "flows");
    expect([both.exit, both.stderr]).toEqual([0, expect.stringContaining("2 artifacts deployed to ")]);
    expect(await replyText()).toBe("Hi Ada!");
    expect((await server.api("GET", "/flows/greet")).json.error).toBeNull();
  });

  it("rejects a Kamelet that breaks a flow outside of the deployment, and reports an invalid one with its file and line", async () => {
    expect((await sluice("deploy", "flows")).exit).toBe(0);
    put({ "kamelets/greet-action.kamelet.yaml": greeting("{{word}} ${body}", needsWord), "others/other.yaml": flow("other", "kamelet:greet-action?word=Hi") });
    const broken = await sluice("deploy", "others");
    expect([broken.exit, broken.stderr]).toEqual([
      1,
      expect.stringMatching(/greet-action\.kamelet\.yaml: flow 'greet', which is not part of this deployment, cannot use this version: line 6: /),
    ]);
    put({ "kamelets/greet-action.kamelet.yaml": greeting("Hello").replace("setBody", "setBdy") });
    const invalid = await sluice("deploy", "flows");
    expect([invalid.exit, invalid.stderr]).toEqual([1, expect.stringMatching(/kamelets\/greet-action\.kamelet\.yaml: line 11: unknown step 'setBdy'/)]);
    expect(await replyText()).toBe("Hello Ada!");
  });

  it("rolls the Kamelets back when a flow is rejected", async () => {
    expect((await sluice("deploy", "flows")).exit).toBe(0);
    put({
      "kamelets/greet-action.kamelet.yaml": greeting("{{word}} ${body}", needsWord),
      "kamelets/new-action.kamelet.yaml": mark(".").replace("mark-action", "new-action"),
      "flows/greet.params.json": `{"which": "greet-action?word=Hi"}`,
      "flows/second.yaml": flow("second", "kamelet:new-action"),
      "flows/second.test.yaml": "flow: second.yaml\ntests:\n  - name: fails\n    when: {webhook: second, body: x}\n    then: [{reply: {body: other}}]\n",
      "flows/greet.test.yaml": "flow: greet.yaml\ntests:\n  - name: greets\n    when: {webhook: greet, body: Ada}\n    then: [{reply: {body: Hi Ada!}}]\n",
    });
    const refused = await sluice("deploy", "flows", "--tests", "required");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringMatching(/1 of 1 tests of flow 'second' failed.*; the other changes were rolled back/s)]);
    expect(await replyText()).toBe("Hello Ada!");
    expect(await installed()).toEqual(["greet-action deployed", "mark-action deployed"]);
    expect((await server.api("GET", "/kamelets/greet-action")).json.yaml).toBe(greeting("Hello ${body}"));
  });

  it("runs the tests of an unchanged flow whose Kamelet changes, and rolls back when they fail", async () => {
    put({
      "flows/greet.test.yaml": "flow: greet.yaml\ntests:\n  - name: greets\n    when: {webhook: greet, body: Ada}\n    then: [{reply: {body: Hello Ada!}}]\n",
    });
    expect((await sluice("deploy", "flows", "--tests", "required")).exit).toBe(0);
    put({ "kamelets/mark-action.kamelet.yaml": mark("?") });
    const refused = await sluice("deploy", "flows", "--tests", "required");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("1 of 1 tests of flow 'greet' failed")]);
    expect(await replyText()).toBe("Hello Ada!");
  });

  it("deploys a Kamelet by its file, and reports where to put one that is missing", async () => {
    const byFile = await sluice("deploy", "kamelets/unused-action.kamelet.yaml");
    expect([byFile.exit, await installed()]).toEqual([0, ["unused-action deployed"]]);
    rmSync(join(folder.path, "project", "kamelets", "greet-action.kamelet.yaml"));
    const missing = await sluice("deploy", "flows");
    expect([missing.exit, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/unknown route template or Kamelet 'greet-action'.*put greet-action\.kamelet\.yaml into the folder 'kamelets' of the project/),
    ]);
    expect((await sluice("deploy", "--help")).output).toContain("Kamelets that a flow uses are deployed with it");
  });
});
