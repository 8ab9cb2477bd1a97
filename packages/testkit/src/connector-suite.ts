// Checks that every connector must pass. Independent of a test runner: each check is a name and a function that throws.
import { createRuntime, type Catalog, type Runtime } from "@sluice/engine";
import type { ConnectorDeclaration, Source } from "@sluice/engine/spi";
import { bindEndpoint, describe, type ConnectorRole, type Fields } from "@sluice/model";
import { catalogOf } from "./catalog-of.ts";
import { FakeHost, settle } from "./fake-host.ts";
import { endpointOf, FakeInlet, scopeOf, sharedState } from "./fake-inlet.ts";
import { recordingConnectors } from "./recording-connectors.ts";

export interface ConnectorSuiteOptions {
  /** An endpoint that can be built in isolation, for each role; a string applies to all roles. */
  readonly uri: string | Partial<Readonly<Record<ConnectorRole, string>>>;
  /** For connectors that need a special host. */
  host?(): FakeHost;
  /** Beans that the endpoint names. */
  readonly beans?: Readonly<Record<string, unknown>>;
  /** Set for sources that cannot start in the suite's environment. */
  readonly startsElsewhere?: boolean;
}

export interface ConnectorCheck {
  readonly name: string;
  run(): void | Promise<void>;
}

const roles: readonly ConnectorRole[] = ["source", "sink", "poller"];

/** The checks of one connector. Run each as a separate test. */
export function connectorSuite(declaration: ConnectorDeclaration, options: ConnectorSuiteOptions): readonly ConnectorCheck[] {
  const newHost = options.host ?? (() => new FakeHost());
  const uriOf = (role: ConnectorRole): string => {
    const uri = typeof options.uri === "string" ? options.uri : options.uri[role];
    if (uri === undefined) throw new Error(`add an endpoint for the role '${role}' to the suite's options`);
    return uri;
  };
  return [
    { name: "documents itself and each of its options", run: () => isDocumented(declaration) },
    { name: "declares exactly the roles it implements", run: () => hasItsRoles(declaration, newHost()) },
    { name: "starts nothing when it is built", run: () => startsNothing(declaration, newHost(), uriOf, options.beans) },
    { name: "masks secrets in its URI", run: () => hidesSecrets(declaration, uriOf(declaration.roles[0] as ConnectorRole)) },
    ...(declaration.roles.includes("source") && options.startsElsewhere !== true
      ? [
          { name: "starts, stops without leaks and starts again", run: () => restarts(declaration, newHost(), uriOf("source")) },
          { name: "can be deployed, replaced and removed", run: () => isReplaceable(declaration, newHost(), uriOf("source")) },
        ]
      : []),
  ];
}

function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

function isDocumented({ scheme, summary, syntax, path, options, headers }: ConnectorDeclaration): void {
  expectThat(/^[A-Z].*\.$/.test(summary), `the summary of '${scheme}' is not a sentence: ${summary}`);
  expectThat(syntax === scheme || syntax.startsWith(`${scheme}:`), `the syntax '${syntax}' does not begin with '${scheme}:'`);
  for (const [name, field] of Object.entries({ ...(path as Fields), ...(options as Fields), ...headers })) {
    const { doc } = describe(field).spec;
    expectThat(/^[A-Z`][^]*[.]$/.test(doc), `the text of '${name}' is not a sentence: ${doc}`);
  }
}

function hasItsRoles(declaration: ConnectorDeclaration, host: FakeHost): void {
  const connector = declaration.connect(host, sharedState());
  const found = roles.filter((role) => connector[role] !== undefined);
  expectThat(found.join() === roles.filter((role) => declaration.roles.includes(role)).join(), `declares ${declaration.roles.join()}, but has ${found.join()}`);
  expectThat(declaration.roles.includes("source") === (declaration.trigger !== undefined), "a connector must declare 'trigger' if and only if it has sources");
}

function held(host: FakeHost): string {
  return `${host.clock.pending} timers, ${host.http.mounts.length} mounts`;
}

function startsNothing(declaration: ConnectorDeclaration, host: FakeHost, uriOf: (role: ConnectorRole) => string, beans = {}): void {
  const connector = declaration.connect(host, sharedState());
  for (const role of declaration.roles) connector[role]?.(endpointOf(declaration, uriOf(role)), scopeOf(host, undefined, beans));
  expectThat(held(host) === "0 timers, 0 mounts", `building it leaked ${held(host)}`);
  expectThat(host.log.records.length === 0, `building it logged: ${host.log.texts[0] ?? ""}`);
}

function hidesSecrets(declaration: ConnectorDeclaration, uri: string): void {
  const value = "s3cret-of-the-suite";
  for (const [name, field] of Object.entries(declaration.options as Fields)) {
    const info = describe(field);
    if (info.spec.secret !== true || info.kind !== "string") continue;
    const shown = bindEndpoint({ uri, parameters: { [name]: value } }, declaration).uri;
    expectThat(!shown.includes(value), `option '${name}' is shown in '${shown}'`);
  }
}

async function restarts(declaration: ConnectorDeclaration, host: FakeHost, uri: string): Promise<void> {
  const source = declaration.connect(host, sharedState()).source?.(endpointOf(declaration, uri), scopeOf(host)) as Source;
  const inlet = new FakeInlet();
  let started: string | undefined;
  for (let round = 0; round < 3; round++) {
    await source.start(inlet);
    started ??= held(host);
    expectThat(held(host) === started, `start ${round + 1} created ${held(host)}, but the first start created ${started}`);
    await source.stop();
    await settle();
    expectThat(held(host) === "0 timers, 0 mounts", `stop ${round + 1} left ${held(host)}`);
  }
}

async function isReplaceable(declaration: ConnectorDeclaration, host: FakeHost, uri: string): Promise<void> {
  const runtime = runtimeOf(catalogOf([...recordingConnectors().connectors.filter(({ scheme }) => scheme !== declaration.scheme), declaration]), host);
  for (const version of ["one", "two"]) {
    const source = `- route:\n    id: suite\n    from:\n      uri: ${JSON.stringify(uri)}\n      steps:\n        - setBody: {constant: ${version}}\n`;
    const { deployment, diagnostics } = runtime.prepare({ id: "suite", hash: version, source, property: () => undefined });
    expectThat(deployment !== undefined, `a route from '${uri}' is rejected: ${diagnostics[0]?.message ?? ""}`);
    await (
      await runtime.deploy(deployment)
    ).drained;
    expectThat(
      runtime.routes.get("suite")?.status === "Started",
      `the route is ${runtime.routes.get("suite")?.status}: ${runtime.routes.get("suite")?.problem}`,
    );
  }
  await runtime.stop();
  await settle();
  expectThat(held(host) === "0 timers, 0 mounts", `the stopped runtime leaked ${held(host)}`);
}

function runtimeOf(catalog: Catalog, host: FakeHost): Runtime {
  const ignore = (): void => undefined;
  return createRuntime({ catalog, host, listener: { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore } });
}
