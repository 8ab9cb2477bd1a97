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
import type { ValueKind } from "../packages/cli/src/command/value-kinds.ts";
import { commands } from "../packages/cli/src/commands/index.ts";
import { expectRejections, type Rejection } from "./cli-rejections.ts";
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
    binary: "token-ü€",
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

/** Values that no kind of id or name accepts. */
const malformed = ["a b", "../x", "ä"];
const wrongValues = (kind: ValueKind): readonly string[] =>
  kind === "assignment" ? ["novalue", "=1"] : kind === "parameter" ? ["novalue", "=1", "{a}=1", "a:b=1"] : malformed;

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
      .filter(({ kind }) => kind !== undefined)
      .flatMap((argument) =>
        malformed.map((value) => ({
          args: all.slice(0, declared.indexOf(argument)).concat(value, required.slice(declared.indexOf(argument) + 1).map(sample)),
          sentence: new RegExp(`: argument '${argument.name}' must be .*, not '${value}'`),
        })),
      ),
    ...declared
      .filter(({ completes, name }) => completes === "files" && name !== "folder")
      .map((argument) => ({
        args: declared.map((each) => (each === argument ? "nowhere.yaml" : sample(each))),
        sentence: /file (or folder )?'nowhere\.yaml' not found: check the path/,
      })),
    ...declared
      .filter(({ completes, name }) => completes === "files" && name === "file")
      .map((argument) => ({
        args: declared.map((each) => (each === argument ? "empty" : sample(each))),
        sentence: /file 'empty' is a folder: pass a file/,
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
        ...(flag.list ?? []).slice(0, 1).flatMap((item) =>
          ["klingon", `${item},klingon`].map((value) => ({
            args: withValue(flag, value),
            sentence: new RegExp(`: invalid value 'klingon' for --${flag.name}: choose from ${item}, .*, separated by commas`),
          })),
        ),
        ...(flag.kind === undefined
          ? []
          : wrongValues(flag.kind).map((value) => ({ args: withValue(flag, value), sentence: new RegExp(`: --${flag.name} must be .*, not '`) }))),
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
      if (rejections.length > 0) await expectRejections(session, callable, rejections);
    });

    it("rejects every wrong flag", async () => {
      const flags = [...callable.flags, ...((await command.moreFlags?.()) ?? [])];
      await expectRejections(session, callable, [...wrongFlags(callable, flags), ...wrongSettings(flags, command)]);
    });

    const args = (callable.arguments ?? []).filter(({ required }) => required === true).map(sample);
    const callsRuntime = callable.flags.some(({ name }) => name === "token-file");
    // A connection is read from its file, a run is named before the runtime is asked, and tests need files.
    const valid = callable.path === "connections put" ? ["shop", "shop.json"] : callable.path === "test" ? ["project"] : args;

    if (callsRuntime)
      it("rejects a wrong address or token file", async () => {
        const remote = callable.path === "test" ? ["--runtime", server.baseUrl] : [];
        await expectRejections(session, callable, [
          { args: [...valid, "--runtime", "ftp://x"], sentence: /'ftp:\/\/x' is not an HTTP URL: use for example http:/ },
          { args: [...valid, "--runtime", "nonsense"], sentence: /is not an HTTP URL: use for example http:/ },
          { args: [...valid, ...remote, "--token-file", "nowhere"], sentence: /the token file 'nowhere' not found: check the path/ },
          { args: [...valid, ...remote, "--token-file", "empty"], sentence: /the token file 'empty' is a folder: pass a file/ },
          { args: [...valid, ...remote, "--token-file", "binary"], sentence: /the token file 'binary' has characters that a header cannot contain: check / },
          {
            args: [...valid, "--runtime", `${server.baseUrl}/_api/`],
            sentence: /--runtime must be the URL of the runtime without '\/_api': use http:\/\/\S+:\d+\n/,
          },
        ]);
      });

    // `sluice doctor` and `sluice test` report it in their results.
    if (callsRuntime && command.name !== "doctor" && command.name !== "test")
      it("reports a runtime that does not respond or rejects the token", async () => {
        const yes = callable.flags.some(({ name }) => name === "yes") ? ["--yes"] : [];
        const selected = callable.path.startsWith("dead-letters ") && !callable.path.endsWith("list") && valid.length === 0 ? ["--route", "orders"] : [];
        await expectRejections(session, callable, [
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

/** Arguments and flags that accept any text, or whose values the command checks itself. Every other one declares what it accepts, and is walked above. */
const freeText = [
  ...["--body", "--comment", "--correlation", "--data-dir", "--file", "--filter", "--flow", "--folder", "--from-step", "--grep", "--host", "--method"],
  ...["--output", "--packages", "--route", "--runtime", "--session", "--step", "--store", "--text", "--token-file", "--workspace", "route", "routes"],
];

it("every argument and flag declares what it accepts", async () => {
  const unchecked = new Set<string>();
  for (const command of commands)
    for (const { flags, arguments: positionals = [] } of callablesOf(command)) {
      for (const { name, values, kind, completes } of positionals) if ((values ?? kind ?? completes) === undefined) unchecked.add(name);
      for (const { name, value, values, list, number, kind, isTime } of flags)
        if (value !== undefined && (values ?? list ?? number ?? kind ?? isTime) === undefined) unchecked.add(`--${name}`);
    }
  expect([...unchecked].toSorted()).toEqual(freeText);
});
