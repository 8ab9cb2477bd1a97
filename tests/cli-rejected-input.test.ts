// Every command with every wrong argument, flag and value: one sentence that says what to do on standard error, nothing on standard output, no stack
// trace, and exit code 2; what does not exist at the runtime ends with exit code 1. The cases are derived from the declarations.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { settingDescriptions } from "@sluice/server/config";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callablesOf,
  type ArgumentDeclaration,
  type Callable,
  type CommandDeclaration,
  type FlagDeclaration,
} from "../packages/cli/src/command/declaration.ts";
import { commands } from "../packages/cli/src/commands/index.ts";
import { openCliSession, type CliSession } from "./cli-session.ts";
import { startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let session: CliSession;
let unreachable: string;
beforeAll(async () => {
  server = await startTestServer();
  session = openCliSession({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token, SERVICE_PORT: "0", DESIGNER_PORT: "0" });
  session.put({
    "project/orders.yaml": "- route: {id: orders, from: {uri: webhook, steps: [{log: x}]}}\n",
    "project/orders.test.yaml": "flow: orders.yaml\ntests: [{name: t, when: {webhook: orders}, then: [{status: completed}]}]\n",
    "kamelets/some-action.kamelet.yaml":
      "apiVersion: camel.apache.org/v1\nkind: Kamelet\nmetadata: {name: some-action}\nspec: {definition: {}, template: {from: {uri: 'kamelet:source', steps: [{log: x}]}}}\n",
    "shop.json": '{"type": "sqlite", "values": {"file": "shop.db"}}',
    "routes.xml": '<routes><route id="r"><from uri="direct:r"/><log message="x"/></route></routes>',
    "empty/notes.txt": "none",
  });
  expect(await session.sluice("deploy", "project")).toMatchObject({ exit: 0 });
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  unreachable = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  other.close();
  await once(other, "close");
});
afterAll(async () => {
  session.remove();
  await server.end();
});

/** A valid value for each argument, by its name. */
const samples: Readonly<Record<string, string>> = {
  paths: "project",
  template: "webhook",
  folder: "new-folder",
  flow: "orders",
  flows: "orders",
  route: "orders",
  routes: "orders",
  run: "last",
  id: "01JCN0000000000000000000AA",
  ids: "01JCN0000000000000000000AA",
  connection: "shop",
  connections: "shop",
  file: "routes.xml",
  name: "some-action",
  names: "some-action",
  shell: "bash",
  kind: "test",
  revision: "1",
  replay: "replay_01JCN",
};
const sample = ({ name }: ArgumentDeclaration): string => samples[name] as string;

/** Says how to fix it: what to pass, or where to look. */
const fix = /see `sluice|pass |use |check |choose |must (be|not)|expected |did you mean|needs |exclude each other|add |'? is .*; Sluice reads YAML|lists the /;

interface Rejection {
  readonly args: readonly string[];
  readonly exit?: number;
  readonly sentence?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** What is wrong with the rejection; undefined if nothing is. */
async function defectOf({ path }: Pick<Callable, "path">, { args, exit = 2, sentence = fix, env = {} }: Rejection): Promise<string | undefined> {
  const words = [...path.split(" "), ...args];
  const result = await session.run(words, { env });
  const line = `sluice ${words.map((word) => (word === "" ? "''" : word)).join(" ")}`;
  const defects = [
    ...(result.exit === exit ? [] : [`exit code ${result.exit} instead of ${exit}`]),
    ...(result.output === "" ? [] : ["writes to standard output"]),
    ...(/^sluice [a-z -]+: [^\n]+\n$/.test(result.stderr) && result.stderr.startsWith(`sluice ${path}: `) ? [] : ["not one sentence of the command"]),
    ...(sentence.test(result.stderr) ? [] : [`does not match ${sentence}`]),
    // oxlint-disable-next-line no-control-regex -- color codes
    ...(/[a-z)']\. [A-Z]|\u001B|\n\s+at /.test(result.stderr) ? ["several sentences, colors or a stack trace"] : []),
  ];
  return defects.length === 0 ? undefined : `${line}\n  ${defects.join(", ")}\n  ${result.stderr}`;
}

async function expectRejections(callable: Pick<Callable, "path">, rejections: readonly Rejection[]): Promise<void> {
  const defects: string[] = [];
  for (const rejection of rejections) {
    const defect = await defectOf(callable, rejection);
    if (defect !== undefined) defects.push(defect);
  }
  expect(defects).toEqual([]);
  expect(rejections.length).toBeGreaterThan(0);
}

function wrongArguments({ arguments: declared = [] }: Callable): readonly Rejection[] {
  const required = declared.filter((argument) => argument.required === true);
  const all = declared.map(sample);
  return [
    ...required.map((argument, index) => ({
      args: required.slice(0, index).map(sample),
      sentence: new RegExp(`: missing required argument '${argument.name}'; see \`sluice `),
    })),
    ...(declared.at(-1)?.many === true
      ? []
      : [{ args: [...all, "excess"], sentence: /: too many arguments: expected \d+ arguments? but got \d+; see `sluice / }]),
    ...declared.map((argument, index) => ({
      args: [...all.slice(0, index), "", ...required.slice(index + 1).map(sample)],
      sentence: /must not be empty|choose one of/,
    })),
    ...declared
      .filter(({ values }) => values !== undefined)
      .map((argument) => ({
        args: declared.map((each) => (each === argument ? "klingon" : sample(each))),
        sentence: /: unknown \w+ 'klingon': choose one of /,
      })),
    ...declared
      .filter(({ completes, name }) => completes === "files" && name !== "folder")
      .map((argument) => ({
        args: declared.map((each) => (each === argument ? "nowhere.yaml" : sample(each))),
        sentence: /file (or folder )?'nowhere\.yaml' not found: check the path/,
      })),
  ];
}

const wrongNumbers = ({ min, max, allowsFractions }: NonNullable<FlagDeclaration["number"]>): readonly string[] => [
  "abc",
  "-1",
  "1e3",
  ...(min > 0 ? [String(min - 1)] : []),
  ...(max === undefined ? [] : [String(max + 1)]),
  ...(allowsFractions === true ? [] : ["1.5"]),
];

function wrongFlags(callable: Callable, flags: readonly FlagDeclaration[]): readonly Rejection[] {
  const args = (callable.arguments ?? []).filter(({ required }) => required === true).map(sample);
  const withValue = (flag: FlagDeclaration, value: string): readonly string[] => [...args, `--${flag.name}=${value}`];
  return [
    { args: [...args, "--no-such-flag"], sentence: /: unknown option '--no-such-flag'.*; see `sluice / },
    ...flags.flatMap((flag): readonly Rejection[] => {
      const takesValue = flag.value !== undefined || flag.values !== undefined;
      if (!takesValue) return [{ args: withValue(flag, "true"), sentence: /./ }];
      return [
        ...(flag.optional === true ? [] : [{ args: [...args, `--${flag.name}`], sentence: new RegExp(`: --${flag.name} needs a value`) }]),
        ...(flag.allowsEmpty === true ? [] : [{ args: [...args, `--${flag.name}`, ""], sentence: /must not be empty|choose one of|expected/ }]),
        ...(flag.values === undefined ? [] : [{ args: withValue(flag, "klingon"), sentence: /choose one of|expected/ }]),
        ...(flag.number === undefined
          ? []
          : wrongNumbers(flag.number).map((value) => ({ args: withValue(flag, value), sentence: /must be (an? |a positive )/ }))),
        ...(flag.isTime === true
          ? ["yesterday", "2026-13-45", "10x"].map((value) => ({ args: withValue(flag, value), sentence: /must be a time such as/ }))
          : []),
      ];
    }),
  ];
}

const kindsOfSettings = new Set(["integer", "number", "duration", "size"]);

/** Settings of the runtime are checked when they are read. */
const wrongSettings = (flags: readonly FlagDeclaration[], command: CommandDeclaration): readonly Rejection[] =>
  command.moreFlags === undefined
    ? []
    : settingDescriptions
        .filter(({ flag, kind }) => kindsOfSettings.has(kind) && flags.some(({ name }) => `--${name}` === flag))
        .map(({ flag }) => ({ args: [`${flag}=klingon`], sentence: new RegExp(`: ${flag}: expected `) }));

describe.each(commands.flatMap((command) => callablesOf(command).map((callable) => [callable.path, command, callable] as const)))(
  "sluice %s",
  (_path, command, callable) => {
    it("rejects every wrong argument", async () => {
      const rejections = wrongArguments(callable);
      if (rejections.length > 0) await expectRejections(callable, rejections);
    });

    it("rejects every wrong flag", async () => {
      const flags = [...callable.flags, ...((await command.moreFlags?.()) ?? [])];
      await expectRejections(callable, [...wrongFlags(callable, flags), ...wrongSettings(flags, command)]);
    });

    const args = (callable.arguments ?? []).filter(({ required }) => required === true).map(sample);
    const callsRuntime = callable.flags.some(({ name }) => name === "token-file");
    // A connection is read from its file, a run is named before the runtime is asked, and tests need files.
    const valid = callable.path === "connections put" ? ["shop", "shop.json"] : callable.path === "test" ? ["project"] : args;

    if (callsRuntime)
      it("rejects a wrong address or token file", async () => {
        const remote = callable.path === "test" ? ["--runtime", server.baseUrl] : [];
        await expectRejections(callable, [
          { args: [...valid, "--runtime", "ftp://x"], sentence: /'ftp:\/\/x' is not an HTTP URL: use for example http:/ },
          { args: [...valid, "--runtime", "nonsense"], sentence: /is not an HTTP URL: use for example http:/ },
          { args: [...valid, ...remote, "--token-file", "nowhere"], sentence: /the token file 'nowhere' cannot be read: ENOENT/ },
        ]);
      });

    // `sluice doctor` and `sluice test` report it in their results.
    if (callsRuntime && command.name !== "doctor" && command.name !== "test")
      it("reports a runtime that does not respond or rejects the token", async () => {
        const yes = callable.flags.some(({ name }) => name === "yes") ? ["--yes"] : [];
        const selected = callable.path.startsWith("dead-letters ") && !callable.path.endsWith("list") && valid.length === 0 ? ["--route", "orders"] : [];
        await expectRejections(callable, [
          {
            args: [...valid, ...selected, ...yes, "--runtime", unreachable],
            exit: 1,
            sentence: /no runtime at \S+ \(ECONNREFUSED\): start one with `sluice start`, or pass another URL with --runtime/,
          },
          {
            args: [...valid, ...selected, ...yes],
            env: { SERVICE_DEPLOY_TOKEN: "wrong" },
            exit: 1,
            sentence: /rejected the deploy token: check SERVICE_DEPLOY_TOKEN or --token-file/,
          },
        ]);
      });
  },
);

describe("combinations that exclude each other", () => {
  it.each([
    ["cluster", ["--store", "ftp://ada:s3cret@somewhere"], /^(?!.*s3cret)sluice cluster: --store: expected nats:\/\/host:4222\/<name>, /],
    ["versions", ["orders", "--yaml"], /--yaml needs a revision/],
    ["versions", ["orders", "first"], /'first' is not a revision: use a number/],
    ["flows show", ["orders", "--yaml", "--json"], /exclude each other/],
    ["runs", ["run_1", "--route", "orders"], /exclude each other/],
    ["deploy", ["project/orders.yaml", "--prune"], /--prune needs folders that contain everything that is deployed/],
    ["deploy", ["project", "--prune", "--id", "x"], /--prune and --id exclude each other/],
    ["deploy", ["project", "--param", "novalue"], /--param must be name=value, not 'novalue'/],
    ["replay", ["last", "--header", "novalue"], /--header must be name=value, not 'novalue'/],
    ["dead-letters replay", [], /pass ids, or one of --route, --flow/],
    ["dead-letters replay", ["--since", "1h"], /pass ids, or one of --route, --flow/],
    ["dead-letters replay", ["a", "--route", "orders"], /ids and filters exclude each other/],
    ["test", ["nowhere", "-f", "typo"], /file or folder 'nowhere' not found: check the path/],
    ["dead-letters delete", [], /pass ids, or one of --route, --flow, --since, --until, --text/],
    ["routes capture", ["orders", "--minutes", "1", "--stop"], /--minutes and --stop exclude each other: pass one of them/],
    ["routes capture", ["orders", "--max-bytes", "1"], /--max-bytes needs --minutes: pass both/],
    ["flows remove", ["orders"], /pass --yes to remove flow 'orders' \(1 route\)/],
    ["connections put", ["shop", "routes.xml"], /'routes\.xml' is not (a connection|valid YAML)/],
    ["connections put", ["shop", "empty/notes.txt"], /'empty\/notes\.txt' is not a connection: add 'type' and 'values'/],
    ["kamelets list", ["nosuch"], /Kamelet 'nosuch' not found/],
    ["kamelets check", ["--folder", "nowhere"], /folder 'nowhere' not found: check the path/],
    ["new", ["webhook", "Bad Name"], /is not a valid flow id: use /],
    ["new", ["webhook", "project"], /'project' is not empty: choose a new folder/],
    ["schema", ["--output", "nowhere/x.json"], /'nowhere\/x\.json' cannot be written \(ENOENT\): create its folder first/],
    ["import", ["routes.xml", "--output", "nowhere/x.yaml"], /cannot be written \(ENOENT\): create its folder first/],
    ["import", ["empty/notes.txt"], /cannot detect the format of 'empty\/notes\.txt': pass --from/],
  ] as const)("sluice %s %j", async (path, args, sentence) => expectRejections({ path }, [{ args, sentence }]));

  it.each(commands.map((command) => command.name))("sluice help %s klingon", async (name) => {
    const { exit, output, stderr } = await session.sluice("help", name, "klingon");
    expect([exit, output]).toEqual([2, ""]);
    expect(stderr).toMatch(/^sluice( [a-z-]+)?: (unknown action 'klingon': choose one of|unexpected 'klingon': use `sluice help) [^\n]+\n$/);
  });

  it.each(commands.filter(({ actions }) => actions !== undefined).map(({ name }) => name))("sluice %s names its actions", async (name) => {
    await expectRejections({ path: name }, [
      { args: ["klingon"], sentence: /: unknown action 'klingon': choose one of [a-z, -]+; see `sluice [a-z-]+ --help`/ },
    ]);
  });
});

describe("what does not exist", () => {
  it.each([
    ["flows show", ["nosuch"], /flow 'nosuch' not found/],
    ["flows remove", ["orders", "nosuch", "--yes"], /flow 'nosuch' not found/],
    ["routes list", ["--flow", "ordesr"], /flow 'ordesr' not found \(did you mean 'orders'\?\): `sluice flows` lists the flows/],
    ["routes show", ["ordesr"], /route 'ordesr' not found \(did you mean 'orders'\?\): `sluice routes` lists the routes/],
    ["routes start", ["nosuch"], /route 'nosuch' not found/],
    ["routes stop", ["nosuch"], /route 'nosuch' not found/],
    ["routes suspend", ["nosuch"], /route 'nosuch' not found/],
    ["routes resume", ["nosuch"], /route 'nosuch' not found/],
    ["versions", ["nosuch"], /flow 'nosuch' not found/],
    ["rollback", ["nosuch"], /flow 'nosuch' not found/],
    ["runs", ["run_nobody"], /run 'run_nobody' not found/],
    ["runs", ["--route", "nosuch"], /route 'nosuch' not found/],
    ["runs", ["--flow", "nosuch"], /flow 'nosuch' not found/],
    ["runs", ["last"], /no run found: call a route first/],
    ["replay", ["run_nobody"], /run 'run_nobody' not found/],
    ["record", ["run_nobody"], /run 'run_nobody' not found/],
    ["routes capture", ["nosuch"], /route 'nosuch' not found/],
    ["routes capture", ["nosuch", "--minutes", "1"], /route 'nosuch' not found/],
    ["routes capture", ["nosuch", "--stop"], /route 'nosuch' not found/],
    ["trace", ["--route", "nosuch", "--for", "1"], /route 'nosuch' not found/],
    ["logs", ["--flow", "nosuch", "--for", "1"], /flow 'nosuch' not found/],
    ["dead-letters list", ["--route", "nosuch"], /route 'nosuch' not found/],
    ["dead-letters show", ["nosuch"], /dead letter 'nosuch' not found/],
    ["dead-letters replay", ["nosuch"], /dead letter 'nosuch' not found/],
    ["dead-letters replay", ["--flow", "nosuch", "--yes"], /flow 'nosuch' not found/],
    ["dead-letters delete", ["nosuch"], /dead letter 'nosuch' not found/],
    ["dead-letters delete", ["nosuch", "--yes"], /dead letter 'nosuch' not found/],
    ["dead-letters show-replay", ["nosuch"], /replay 'nosuch' not found/],
    ["dead-letters cancel-replay", ["nosuch"], /replay 'nosuch' not found/],
    ["dead-letters delete", ["--route", "nosuch", "--yes"], /route 'nosuch' not found/],
    ["connections show", ["nosuch"], /connection 'nosuch' not found/],
    ["connections test", ["nosuch"], /connection 'nosuch' not found/],
    ["connections test", [], /no connections to test at \S+: define one with `sluice connections put`/],
    ["connections remove", ["nosuch", "--yes"], /connection 'nosuch' not found/],
  ] as const)("sluice %s %j", async (path, args, sentence) => expectRejections({ path }, [{ args, sentence, exit: 1 }]));
});

describe("nothing found", () => {
  it.each([
    ["lint", ["empty"], /no flow, test or connection found in 'empty': pass files or folders that contain some, or --allow-empty/],
    ["test", ["empty"], /no test file found in 'empty': a test file is a YAML file with `flow` and `tests`; --allow-empty accepts/],
    ["test", ["project", "-f", "typo"], /no test in 'project' \(1 test file\) has a name that contains 'typo': change --filter, or pass --allow-empty\n/],
    ["test", ["project", "--filter", "typo", "--json"], /no test in 'project' \(1 test file\) has a name that contains 'typo'/],
    ["deploy", ["empty"], /no flow, mapping or policy found in 'empty': pass flow files, or folders that contain some/],
    ["deploy", ["empty", "--prune", "--yes"], /no flow, mapping or policy found in 'empty'/],
    ["run", ["empty"], /no flow found in 'empty': pass a flow file, or a folder that contains one/],
    ["dev", ["empty"], /no flow found in 'empty': pass a flow file, or a folder that contains one/],
    ["kamelets list", ["--folder", "empty"], /no Kamelets found in \S+empty: set SERVICE_KAMELETS/],
    ["kamelets check", ["--folder", "empty"], /no Kamelets found in \S+empty: set SERVICE_KAMELETS/],
  ] as const)("sluice %s %j", async (path, args, sentence) => expectRejections({ path }, [{ args, sentence, exit: 1 }]));

  it.each([
    ["lint", "empty", "--allow-empty"],
    ["test", "empty", "--allow-empty"],
    ["test", "project", "--filter", "typo", "--allow-empty"],
    ["test", "empty", "--allow-empty", "--reporter", "junit"],
  ])("is accepted by sluice %s %s %s", async (...args) => expect((await session.sluice(...args)).exit).toBe(0));
});

describe("files that are not YAML", () => {
  const readers = ["lint", "test", "deploy", "run", "dev"];
  beforeAll(() => {
    for (const name of ["Orders.java", "orders.groovy", "orders.kts", "routes.xml", "nodes.json", "notes.txt", "README.md"])
      session.put({ [`other/${name}`]: "x" });
  });

  it.each(readers)("are named by sluice %s, with what to do", async (path) => {
    await expectRejections({ path }, [
      {
        args: ["other/Orders.java"],
        sentence: /'other\/Orders\.java' is a Java route; Sluice reads YAML: rewrite the route in YAML, for example with `camel transform route/,
      },
      { args: ["other/orders.groovy"], sentence: /is a Groovy route; Sluice reads YAML/ },
      { args: ["other/orders.kts"], sentence: /is a Kotlin route; Sluice reads YAML/ },
      { args: ["other/routes.xml"], sentence: /is an XML file; Sluice reads YAML: convert Camel XML with `sluice import other\/routes\.xml`/ },
      {
        args: ["other/nodes.json"],
        sentence: /is a JSON file; Sluice reads YAML: convert Node-RED flows and n8n workflows with `sluice import other\/nodes\.json`/,
      },
      { args: ["other/notes.txt"], sentence: /'other\/notes\.txt' is not a YAML file: pass files that end in \.yaml or \.yml, or folders/ },
      { args: ["other/README.md"], sentence: /is not a YAML file/ },
    ]);
  });

  it.each(readers)("in a folder without flows are named by sluice %s", async (path) => {
    session.put({ "java/Orders.java": "x", "java/package.json": "{}" });
    await expectRejections({ path }, [
      { args: ["java"], exit: 1, sentence: /no .* found in 'java', but Java files such as Orders\.java; Sluice reads YAML: rewrite the route/ },
    ]);
  });

  it("are rejected by sluice import if it cannot convert them", async () => {
    await expectRejections({ path: "import" }, [
      { args: ["other/Orders.java"], sentence: /is a Java route; `sluice import` does not read it: rewrite the route in YAML/ },
    ]);
    session.put({ "none.xml": "<routes/>" });
    await expectRejections({ path: "import" }, [
      { args: ["none.xml"], exit: 1, sentence: /'none\.xml' contains nothing to convert from camel-xml: pass another file/ },
    ]);
  });
});
