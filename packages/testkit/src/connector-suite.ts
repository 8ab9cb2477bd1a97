// Checks that every connector must pass. Independent of a test runner: each check is a name and a function that throws.
import { createRuntime, type Catalog, type Runtime } from "@sluice/engine";
import type { ConnectorDeclaration, Source } from "@sluice/engine/spi";
import { bindEndpoint, describe, type ConnectorRole, type Fields } from "@sluice/model";
import { catalogOf } from "./catalog-of.ts";
import { FakeHost, settle } from "./fake-host.ts";
import { endpointOf, FakeRouteInput, scopeOf, sharedState } from "./fake-route-input.ts";
import { recordingConnectors } from "./recording-connectors.ts";

export interface ConnectorSuiteOptions {
  /** An endpoint that can be built in isolation, for each role; a string applies to all roles. */
  readonly uri: string | Partial<Readonly<Record<ConnectorRole, string>>>;
  /** For connectors that need a special host. */
  host?(): FakeHost;
  /** Beans that the endpoint names. */
  readonly beans?: Readonly<Record<string, unknown>>;
  /** Skips the start of sources that cannot start in the suite's environment. */
  readonly skipStart?: boolean;
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
    { name: "documents itself and each of its options", run: () => checkDocumentation(declaration) },
    { name: "declares exactly the roles it implements", run: () => checkRoles(declaration, newHost()) },
    { name: "starts nothing when it is built", run: () => checkBuilding(declaration, newHost(), uriOf, options.beans) },
    { name: "masks secrets in its URI", run: () => checkMasking(declaration, uriOf(declaration.roles[0] as ConnectorRole)) },
    ...(declaration.roles.includes("source") && options.skipStart !== true
      ? [
          { name: "starts, stops without leaks and starts again", run: () => checkRestarts(declaration, newHost(), uriOf("source")) },
          { name: "can be deployed, replaced and removed", run: () => checkDeployments(declaration, newHost(), uriOf("source")) },
        ]
      : []),
  ];
}

function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function checkDocumentation({ scheme, summary, syntax, path, options, headers }: ConnectorDeclaration): void {
  expectThat(/^[A-Z].*\.$/.test(summary), `the summary of '${scheme}' is not a sentence: ${summary}`);
  expectThat(syntax === scheme || syntax.startsWith(`${scheme}:`), `the syntax '${syntax}' does not begin with '${scheme}:'`);
  for (const [name, field] of Object.entries({ ...(path as Fields), ...(options as Fields), ...headers })) {
    const { doc } = describe(field).spec;
    expectThat(/^[A-Z`][^]*[.]$/.test(doc), `the description of '${name}' is not a sentence: ${doc}`);
  }
}

function checkRoles(declaration: ConnectorDeclaration, host: FakeHost): void {
  const connector = declaration.connect(host, sharedState());
  const implemented = roles.filter((role) => connector[role] !== undefined);
  const declared = roles.filter((role) => declaration.roles.includes(role));
  expectThat(implemented.join() === declared.join(), `the declared roles are ${declaration.roles.join()}, but the implemented ones are ${implemented.join()}`);
  expectThat(declaration.roles.includes("source") === (declaration.trigger !== undefined), "a connector must declare 'trigger' if and only if it has sources");
}

function openResources(host: FakeHost): string {
  return `${host.clock.pending} timers, ${host.http.mounts.length} mounts`;
}

function checkBuilding(declaration: ConnectorDeclaration, host: FakeHost, uriOf: (role: ConnectorRole) => string, beans = {}): void {
  const connector = declaration.connect(host, sharedState());
  for (const role of declaration.roles) connector[role]?.(endpointOf(declaration, uriOf(role)), scopeOf(host, undefined, beans));
  expectThat(openResources(host) === "0 timers, 0 mounts", `building an endpoint leaked ${openResources(host)}`);
  expectThat(host.log.records.length === 0, `building an endpoint logged: ${host.log.texts[0] ?? ""}`);
}

function checkMasking(declaration: ConnectorDeclaration, uri: string): void {
  const value = "s3cret-of-the-suite";
  for (const [name, field] of Object.entries(declaration.options as Fields)) {
    const info = describe(field);
    if (info.spec.secret !== true || info.kind !== "string") continue;
    const uriText = bindEndpoint({ uri, parameters: { [name]: value } }, declaration).uri;
    expectThat(!uriText.includes(value), `option '${name}' is shown in '${uriText}'`);
  }
}

async function checkRestarts(declaration: ConnectorDeclaration, host: FakeHost, uri: string): Promise<void> {
  const source = declaration.connect(host, sharedState()).source?.(endpointOf(declaration, uri), scopeOf(host)) as Source;
  const routeInput = new FakeRouteInput();
  let started: string | undefined;
  for (let round = 0; round < 3; round++) {
    await source.start(routeInput);
    started ??= openResources(host);
    expectThat(openResources(host) === started, `start ${round + 1} created ${openResources(host)}, but the first start created ${started}`);
    await source.stop();
    await settle();
    expectThat(openResources(host) === "0 timers, 0 mounts", `stop ${round + 1} left ${openResources(host)}`);
  }
}

async function checkDeployments(declaration: ConnectorDeclaration, host: FakeHost, uri: string): Promise<void> {
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
  expectThat(openResources(host) === "0 timers, 0 mounts", `the stopped runtime leaked ${openResources(host)}`);
}

function runtimeOf(catalog: Catalog, host: FakeHost): Runtime {
  const ignore = (): void => undefined;
  return createRuntime({ catalog, host, listener: { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore } });
}
