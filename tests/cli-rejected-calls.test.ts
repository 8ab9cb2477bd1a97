// Command lines that are wrong as a whole, and names and files that do not exist: cli-rejected-input.test.ts derives wrong values from the declarations.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../packages/cli/src/commands/index.ts";
import { expectRejections } from "./cli-rejections.ts";
import { openCliSession, type CliSession } from "./cli-session.ts";
import { startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let session: CliSession;
beforeAll(async () => {
  server = await startTestServer();
  session = openCliSession({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token, SERVICE_PORT: "0", DESIGNER_PORT: "0" });
  session.put({
    "project/orders.yaml": "- route: {id: orders, from: {uri: webhook, steps: [{log: x}]}}\n",
    "project/orders.test.yaml": "flow: orders.yaml\ntests: [{name: t, when: {webhook: orders}, then: [{status: completed}]}]\n",
    "shop.json": '{"type": "sqlite", "values": {"file": "shop.db"}}',
    "routes.xml": '<routes><route id="r"><from uri="direct:r"/><log message="x"/></route></routes>',
    "no-type.json": "{}",
    "wrong-key.json": '{"type": "sqlite", "values": {}, "vlaues": {}}',
    "list.json": "[]",
    "empty/notes.txt": "none",
  });
  expect(await session.sluice("deploy", "project")).toMatchObject({ exit: 0 });
});
afterAll(async () => {
  session.remove();
  await server.end();
});

describe("combinations that exclude each other", () => {
  it.each([
    ["cluster", ["--store", "ftp://ada:s3cret@somewhere"], /^(?!.*s3cret)sluice cluster: --store: expected nats:\/\/host:4222\/<name>, /],
    ["versions", ["orders", "--yaml"], /--yaml needs a revision/],
    ["flows show", ["orders", "--yaml", "--json"], /exclude each other/],
    ["runs", ["run_1", "--route", "orders"], /exclude each other/],
    ["runs", ["run_1", "--follow"], /a run and --follow exclude each other: pass one of them/],
    ["runs", ["last", "--limit", "3"], /a run and --limit exclude each other/],
    ["runs", ["run_1", "--cursor", "newest"], /a run and --cursor exclude each other/],
    ["runs", ["--follow", "--cursor", "newest"], /--follow and --cursor exclude each other: pass one of them/],
    ["runs", ["--since", "1h", "--until", "2h"], /--since must not be later than --until: \S+Z is later than \S+Z/],
    ["dead-letters list", ["--since", "1h", "--until", "2h"], /--since must not be later than --until/],
    ["dead-letters replay", ["--route", "orders", "--since", "1h", "--until", "2h"], /--since must not be later than --until/],
    ["dead-letters delete", ["--since", "2026-01-02", "--until", "2026-01-01"], /--since must not be later than --until/],
    ["dead-letters replay", ["a", "--limit", "3"], /ids and --limit exclude each other: pass one of them/],
    ["designer", ["--runtime", "runtime:8080"], /--runtime: expected an address such as http:/],
    ["deploy", ["project/orders.yaml", "--prune"], /--prune needs folders that contain everything that is deployed/],
    ["deploy", ["project", "--prune", "--id", "x"], /--prune and --id exclude each other/],
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
    ["connections put", ["shop", "no-type.json"], /'no-type\.json' cannot be used: connection 'shop': /],
    ["connections put", ["shop", "wrong-key.json"], /'wrong-key\.json' cannot be used: connection 'shop': /],
    ["connections put", ["shop", "list.json"], /'list\.json' is not a connection: add 'type' and 'values'/],
    ["kamelets check", ["--folder", "nowhere"], /folder 'nowhere' not found: check the path/],
    ["new", ["webhook", "Bad Name"], /is not a valid flow id: use /],
    ["new", ["webhook", "project"], /'project' is not empty: choose a new folder/],
    ["schema", ["--output", "nowhere/x.json"], /'nowhere\/x\.json' cannot be written \(ENOENT\): create its folder first/],
    ["import", ["routes.xml", "--output", "nowhere/x.yaml"], /cannot be written \(ENOENT\): create its folder first/],
    ["import", ["empty/notes.txt"], /cannot detect the format of 'empty\/notes\.txt': pass --from/],
  ] as const)("sluice %s %j", async (path, args, sentence) => expectRejections(session, { path }, [{ args, sentence }]));

  it.each(commands.map((command) => command.name))("sluice help %s klingon", async (name) => {
    const { exit, output, stderr } = await session.sluice("help", name, "klingon");
    expect([exit, output]).toEqual([2, ""]);
    expect(stderr).toMatch(/^sluice( [a-z-]+)?: (unknown action 'klingon': choose one of|unexpected 'klingon': use `sluice help) [^\n]+\n$/);
  });

  it.each(commands.filter(({ actions }) => actions !== undefined).map(({ name }) => name))("sluice %s names its actions", async (name) => {
    await expectRejections(session, { path: name }, [
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
    ["kamelets list", ["nosuch"], /Kamelet 'nosuch' not found/],
    ["kamelets check", ["nosuch"], /Kamelet 'nosuch' not found/],
    ["kamelets describe", ["nosuch"], /Kamelet 'nosuch' not found/],
    ["connections show", ["nosuch"], /connection 'nosuch' not found/],
    ["connections test", ["nosuch"], /connection 'nosuch' not found/],
    ["connections test", [], /no connections to test at \S+: define one with `sluice connections put`/],
    ["connections remove", ["nosuch", "--yes"], /connection 'nosuch' not found/],
  ] as const)("sluice %s %j", async (path, args, sentence) => expectRejections(session, { path }, [{ args, sentence, exit: 1 }]));
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
  ] as const)("sluice %s %j", async (path, args, sentence) => expectRejections(session, { path }, [{ args, sentence, exit: 1 }]));

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
    await expectRejections(session, { path }, [
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
    await expectRejections(session, { path }, [
      { args: ["java"], exit: 1, sentence: /no .* found in 'java', but Java files such as Orders\.java; Sluice reads YAML: rewrite the route/ },
    ]);
  });

  it("are rejected by sluice import if it cannot convert them", async () => {
    await expectRejections(session, { path: "import" }, [
      { args: ["other/Orders.java"], sentence: /is a Java route; `sluice import` does not read it: rewrite the route in YAML/ },
    ]);
    session.put({ "none.xml": "<routes/>" });
    await expectRejections(session, { path: "import" }, [
      { args: ["none.xml"], exit: 1, sentence: /'none\.xml' contains nothing to convert from camel-xml: pass another file/ },
    ]);
  });
});

describe.each(["run", "dev"])("a setting of sluice %s that only the runtime can check", (path) => {
  it.each([
    ["--trusted-proxies", "klingon", /--trusted-proxies: 'klingon' is not an address or network such as /],
    ["--otlp-endpoint", "klingon", /--otlp-endpoint: 'klingon' is not an http or https URL/],
    ["--connectors", "./nothere", /--connectors: the folder '\S+nothere' does not exist; correct the path in --connectors/],
    ["--functions", "./nothere.mjs", /correct --functions or the module/],
    ["--kamelets", "./nothere", /--kamelets: .*nothere/],
    ["--secrets-dir", "nothere", /--secrets-dir: folder 'nothere' not found: check the path/],
    ["--connections", "empty,nothere", /--connections: folder 'nothere' not found: check the path/],
    ["--resources", "nothere", /--resources: folder 'nothere' not found: check the path/],
    ["--databases", "shop.json", /--databases: folder 'shop\.json' not found: check the path/],
  ] as const)("%s %s is reported under the name of the flag", async (flag, value, sentence) => {
    const data = path === "run" ? ["--data-dir", "settings-data"] : [];
    await expectRejections(session, { path }, [{ args: ["project", ...data, flag, value], sentence }]);
  });
});

it.each([
  ["SERVICE_TRUSTED_PROXIES", "klingon", /: SERVICE_TRUSTED_PROXIES: 'klingon' is not/],
  ["SERVICE_KAMELETS", "./nothere", /: .*SERVICE_KAMELETS: /],
] as const)("%s=%s is reported under the name of the variable", async (variable, value, sentence) => {
  await expectRejections(session, { path: "run" }, [{ args: ["project", "--data-dir", "settings-data"], env: { [variable]: value }, sentence }]);
});

it.each(["run", "deploy", "dev", "lint"])("sluice %s rejects an invalid profile of the environment", async (path) => {
  await expectRejections(session, { path }, [
    { args: ["project"], env: { SERVICE_PROFILE: "../x" }, sentence: /SERVICE_PROFILE: expected a name of letters, digits, '\.', '_' and '-', got '\.\.\/x'/ },
  ]);
});

it("sluice deploy warns about a parameter that no flow reads", async () => {
  session.put({ "params/reads.yaml": "- route: {id: reads, from: {uri: direct:reads, steps: [{log: '{{erp.url}}'}]}}\n" });
  const { exit, stderr } = await session.sluice("deploy", "params", "--dry-run", "--param", "erp.url=x", "--param", "erp.ulr=y");
  expect([exit, stderr]).toEqual([0, expect.stringMatching(/^warning no flow of this deployment reads parameter 'erp\.ulr': check the name in --param\n/)]);
  expect(stderr).not.toContain("'erp.url'");
});
