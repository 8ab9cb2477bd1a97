// The settings of the runtime: declared once, read once from environment and command line, frozen. Help text and reference are
// generated from the declaration. No other module reads process.env.
import { closest, describe, f, type Field, type Values } from "@sluice/model";
import { fixedLimits, type FixedLimits } from "./fixed-limits.ts";

export { looksSecret, variableOf } from "./host/environment.ts";

const mebibyte = 1024 * 1024;

/** All settings. The flag is the name in kebab case (`--max-body`), the variable is in upper case (`SERVICE_MAX_BODY`). */
export const settingFields = {
  port: f.integer({ doc: "Port to listen on; 0 selects a free port.", default: 8080, min: 0, max: 65535 }),
  host: f.string({ doc: "Address to listen on; 0.0.0.0 listens on all interfaces.", default: "127.0.0.1" }),
  dataDir: f.string({ doc: "Directory for flows, parameters, tables and queues; created if it does not exist.", default: "./sluice-data" }),
  profile: f.string({
    doc: "Profile: values in `application-<profile>.properties` override those in `application.properties`.",
    examples: ["dev"],
  }),
  workers: f.integer({
    doc: "Number of worker processes behind one port and one management API; see docs/operations/workers.md. In a cluster, each worker is a node: `<node>/1`, `<node>/2`, …",
    default: 1,
    min: 1,
    max: 128,
  }),
  cluster: f.text({
    doc: "Makes this runtime a node of a cluster: `nats://host:4222,host:4222/<name>`, `tls://…` or `postgres://user:password@host/database?cluster=<name>`; see docs/operations/cluster.md.",
    secret: true,
  }),
  node: f.string({
    doc: "Name of this node, unique in its cluster. Default: the host name. With several workers, `/` and the number of the worker are appended.",
    examples: ["node-1"],
  }),
  clusterReplicas: f.integer({
    doc: "Number of NATS servers that store each stream of the cluster; used when the streams are created.",
    default: 3,
    min: 1,
    max: 5,
  }),
  clusterTtl: f.duration({
    doc: "Time without a heartbeat after which the other nodes take over the schedules of a node: 5s to 60s, the same on every node.",
    default: 15_000,
  }),
  clusterKey: f.text({
    doc: "Key that encrypts the configuration in the store of the cluster: 32 bytes in base64, the same on every node. Without it, secrets can only be referenced, not stored.",
    secret: true,
  }),
  clusterKeysOld: f.text({ doc: "Earlier values of SERVICE_CLUSTER_KEY, separated by commas; they are used only to decrypt.", secret: true }),
  clusterSettleMs: f.duration({ doc: "How long the response to a change waits for the other nodes to apply it.", default: 5_000 }),
  clusterLeaveMs: f.duration({
    doc: "How long a stopping node continues to serve requests while its readiness probe fails, so that the load balancer stops sending requests to it.",
    default: 5_000,
  }),
  deployToken: f.text({ doc: "Bearer token of the management API. Without it, all calls except health are rejected.", secret: true }),
  logLevel: f.enum(["trace", "debug", "info", "warn", "error"], { doc: "Minimum log level.", default: "info" }),
  logFormat: f.enum(["auto", "text", "json"], {
    doc: "Log format: `text` for people, `json` with one record per line, or `auto`: text in a terminal, JSON otherwise.",
    default: "auto",
  }),
  watch: f.boolean({
    doc: "Reload flows, value mappings, message mappings, connections, access policies, Kamelets and, with one worker, functions when their files change.",
    default: false,
  }),
  webhookDefault: f.enum(["open", "deny"], { doc: "Access to webhooks without an access policy.", default: "open" }),
  trustedProxies: f.string({ doc: "Comma-separated addresses and networks of proxies whose X-Forwarded-For header is trusted.", default: "" }),
  wrongCredentials: f.integer({ doc: "Failed logins per address and flow before attempts are limited to ten per minute.", default: 50, min: 1 }),
  testSessions: f.enum(["on", "isolated", "off"], { doc: "Test sessions: `on`, `isolated` (they cannot mock live traffic) or `off`.", default: "on" }),
  breakpoints: f.boolean({
    doc: "Allow breakpoints: a client of the management API can hold one message of a route at a time, inspect it and change it; see docs/how-to/breakpoints.md.",
    default: false,
  }),
  drainMs: f.duration({ doc: "Time limit for runs in flight to finish when a flow is replaced or the runtime stops.", default: 30_000 }),
  maxBody: f.size({ doc: "Maximum size of a request body, after decompression.", default: 10 * mebibyte }),
  maxBodyBytesHeld: f.size({
    doc: "Maximum memory for request bodies per process, until their runs end; requests beyond it get 503. Unsent responses may use half of it. Default: a sixteenth of the memory of the machine or container, at least 16 MiB and at most 64 MiB, divided by the number of workers, but at least twice `SERVICE_MAX_BODY`.",
  }),
  maxConnections: f.integer({ doc: "Maximum number of open connections. Additional connections are rejected.", default: 10_000, min: 1 }),
  headersTimeoutMs: f.duration({ doc: "Time limit for receiving the headers of a request.", default: 20_000 }),
  bodyTimeoutMs: f.duration({ doc: "Time limit for receiving a complete request.", default: 60_000 }),
  httpFastPath: f.boolean({
    doc: "Read simple webhook requests directly from the socket. If false, node:http reads every request, which is slower.",
    default: true,
  }),
  keepAliveMs: f.duration({ doc: "How long an idle connection stays open.", default: 65_000 }),
  maxInflight: f.integer({ doc: "Maximum number of concurrent runs per route. Additional runs are rejected.", default: 2_000, min: 1 }),
  runMs: f.duration({ doc: "Time limit of a run.", default: 300_000 }),
  maxMessage: f.size({
    doc: "Maximum length of the text that an expression may create, in characters. Does not limit the size of a message.",
    default: 64 * mebibyte,
    min: 1,
  }),
  maxExchanges: f.integer({
    doc: "Maximum number of exchanges that one run may create, for example with nested multicasts and splits.",
    default: 200_000,
    min: 1,
  }),
  egressAllowPrivate: f.boolean({ doc: "Allow addresses taken from messages to be private, loopback or link-local.", default: false }),
  egressAllowHosts: f.string({ doc: "Comma-separated private hosts that messages may address.", default: "" }),
  enableJs: f.boolean({ doc: "Allow JavaScript expressions (language js) in flows. They run in a sandbox with time and memory limits.", default: false }),
  connectors: f.string({
    doc: "Comma-separated packages and folders with additional connectors, steps, languages, formats, beans and connection types; see docs/how-to/write-a-connector.md.",
    default: "",
    examples: ["sluice-connector-acme,./connectors/line"],
  }),
  secretsDir: f.string({
    doc: "Folder with mounted secrets, which connections reference as `{file: name}`. With SERVICE_WATCH, changed files are reloaded.",
    examples: ["/run/secrets"],
  }),
  connections: f.string({
    doc: "Comma-separated folders with connections (`<id>.json`, `<id>.yaml`), which take precedence over those in the data directory and are read-only; see docs/how-to/connections.md.",
    default: "",
    examples: ["./connections"],
  }),
  databases: f.string({
    doc: "Comma-separated folders in which SQLite connections may store their files, in addition to `databases` in the data directory. A relative path is resolved against the first of them.",
    default: "",
    examples: ["/srv/databases"],
  }),
  kamelets: f.string({
    doc: "Comma-separated folders and packages with Kamelets (`<name>.kamelet.yaml`), searched after `kamelets` in the data directory; see docs/how-to/use-kamelets.md.",
    default: "",
    examples: ["./kamelets,sluice-kamelets-acme"],
  }),
  resources: f.string({
    doc: "Comma-separated folders from which flows can load text with `resource:file:` and `resource:classpath:`, searched after `resources` in the data directory; see docs/how-to/text-from-files.md.",
    default: "",
    examples: ["./texts"],
  }),
  functions: f.string({ doc: "Module whose exported functions, objects and classes implement the beans that flows reference.", examples: ["./functions.mjs"] }),
  versions: f.integer({ doc: "Number of stored versions per flow, for rollback; the newest is the deployed one.", default: 10, min: 1, max: 64 }),
  versionBytes: f.size({
    doc: "Maximum disk space for the versions of one flow; the oldest are removed first, the newest is never removed.",
    default: 16 * mebibyte,
  }),
  runHistory: f.integer({ doc: "Maximum number of runs in the history per route.", default: 250, min: 1 }),
  runHistoryTotal: f.integer({ doc: "Maximum number of runs in the history across all routes.", default: 20_000, min: 1 }),
  runHistoryBytes: f.size({ doc: "Maximum memory for the run history (estimated).", default: 64 * mebibyte }),
  runStore: f.enum(["memory", "disk"], {
    doc: "Where finished runs are stored: in `memory` only, or also on `disk`, where they survive a restart; see docs/operations/data.md.",
    default: "memory",
  }),
  runStoreAge: f.duration({ doc: "How long runs are stored on disk; older ones are removed.", default: 7 * 24 * 3_600_000 }),
  runStoreTotal: f.integer({ doc: "Maximum number of runs on disk; the oldest are removed first.", default: 100_000, min: 100 }),
  runStoreBytes: f.size({ doc: "Maximum disk space for runs; the oldest are removed first.", default: 512 * mebibyte, min: 8 * mebibyte }),
  queueBytes: f.size({ doc: "Maximum disk space for messages in all durable queues. Additional messages are rejected.", default: 1024 * mebibyte }),
  deadLetters: f.integer({ doc: "Maximum number of dead letters; the oldest are removed first.", default: 10_000, min: 1 }),
  deadLetterBytes: f.size({ doc: "Maximum disk space for dead letters; the newest is never removed.", default: 256 * mebibyte }),
  replayBytes: f.size({ doc: "Maximum memory for the input messages of past runs, needed for replay; 0 stores none.", default: 8 * mebibyte }),
  maxStreamClients: f.integer({ doc: "Maximum number of concurrent event stream clients.", default: 100, min: 0 }),
  otlpEndpoint: f.string({
    doc: "URL of an OpenTelemetry collector (OTLP over HTTP, JSON) that receives runs as spans; `/v1/traces` is appended. Without it, no spans are sent.",
    examples: ["http://127.0.0.1:4318"],
  }),
  otlpHeaders: f.text({ doc: "Comma-separated headers for the collector, for example `authorization=Bearer x`.", secret: true }),
  otlpRatio: f.number({
    doc: "Fraction of traces to send, 0 to 1. A trace started by a caller is sent if the caller samples it.",
    default: 1,
    min: 0,
    max: 1,
  }),
} as const;

export type Settings = Values<typeof settingFields> & FixedLimits;
export type SettingName = keyof typeof settingFields;

/** The input for starting a runtime: the settings, and the environment visible to flows. */
export interface Configuration {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Invalid settings; one sentence per problem. */
export class SettingsError extends Error {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(messages.join("\n"));
    this.name = "SettingsError";
    this.messages = messages;
  }
}

export interface SettingDescription {
  readonly name: SettingName;
  /** Undefined for secrets, because command lines are visible to other users. */
  readonly flag: string | undefined;
  readonly variable: string;
  readonly doc: string;
  readonly kind: string;
  readonly values: readonly string[] | undefined;
  readonly default: string;
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Flag, variable and documentation of each setting, for command line, help and reference. */
export const settingDescriptions: readonly SettingDescription[] = (Object.keys(settingFields) as SettingName[]).map((name) => {
  const info = describe(settingFields[name] as Field<unknown>);
  return {
    name,
    flag: info.spec.secret === true ? undefined : `--${kebab(name)}`,
    variable: `SERVICE_${kebab(name).replaceAll("-", "_").toUpperCase()}`,
    doc: info.spec.doc,
    kind: info.kind,
    values: info.values,
    default: info.spec.default === undefined ? "" : String(info.spec.default),
  };
});

/** The environment of this process, for variables that are not settings. */
export const processEnvironment: Readonly<Record<string, string | undefined>> = process.env;

/** Reads the settings: a flag overrides its variable, a blank variable counts as unset. Throws one SettingsError with all problems. */
export function readConfiguration(
  flags: Readonly<Partial<Record<string, string>>> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Configuration {
  const settings = readSettings(({ name, flag, variable }) => {
    const fromFlag = flag === undefined ? undefined : flags[name];
    const fromEnvironment = environment[variable]?.trim() === "" ? undefined : environment[variable];
    return { value: fromFlag ?? fromEnvironment, label: fromFlag === undefined ? variable : (flag as string) };
  });
  return { settings, environment: Object.freeze({ ...environment }) };
}

/** Settings of an embedded runtime: passed by name and never read from the environment, which only flows use. */
export function configurationOf(
  options: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Configuration {
  const settingNames = new Set<string>(Object.keys(settingFields));
  const problems = Object.keys(options).flatMap((name) => {
    if (settingNames.has(name)) return [];
    const suggestion = closest(name, settingNames);
    return [`unknown option '${name}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`];
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    settings: readSettings(({ name }) => ({ value: options[name] === undefined ? undefined : String(options[name]), label: name })),
    environment: Object.freeze({ ...environment }),
  };
}

function readSettings(find: (setting: SettingDescription) => { readonly value: unknown; readonly label: string }): Settings {
  const problems: string[] = [];
  const settings: Record<string, unknown> = { ...fixedLimits };
  for (const setting of settingDescriptions) {
    const { value, label } = find(setting);
    const result = (settingFields[setting.name] as Field<unknown>).safeParse(value);
    // Part of a file name.
    if (setting.name === "profile" && typeof result.data === "string" && !/^\w[\w.-]{0,99}$/.test(result.data))
      problems.push(`${label}: expected a name of letters, digits, '.', '_' and '-', got '${result.data}'`);
    else if (result.success && !(setting.kind === "duration" && (result.data as number) < 0)) settings[setting.name] = result.data;
    else if (result.success) problems.push(`${label}: expected a duration of 0 or more, got '${value as string}'`);
    else problems.push(`${label}: ${result.error.issues[0]?.message ?? "invalid value"}`);
  }
  const { maxBody, maxBodyBytesHeld } = settings as Partial<Settings>;
  if (maxBody !== undefined && maxBodyBytesHeld !== undefined && maxBodyBytesHeld < maxBody)
    problems.push(
      `SERVICE_MAX_BODY_BYTES_HELD: ${maxBodyBytesHeld} bytes is less than SERVICE_MAX_BODY (${maxBody} bytes); increase it, or decrease SERVICE_MAX_BODY`,
    );
  problems.push(...clusterProblems(settings));
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(settings) as Settings;
}

/** Settings that do not work in a cluster. */
function clusterProblems({ cluster, clusterTtl = 15_000, watch }: Partial<Settings>): readonly string[] {
  if (cluster === undefined) return [];
  return [
    ...(clusterTtl < 5_000 || clusterTtl > 60_000 ? ["SERVICE_CLUSTER_TTL: expected 5s to 60s"] : []),
    ...(watch === true ? ["SERVICE_WATCH: not supported in a cluster, where flows are not read from files; unset it and deploy with 'sluice deploy'"] : []),
  ];
}

/** Warnings about variables that look like misspelled settings. Other variables with the same prefix are ignored. */
export function misnamedVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const prefix = "SERVICE_";
  const settingNames = new Set(settingDescriptions.map(({ variable }) => variable.slice(prefix.length)));
  return Object.keys(environment).flatMap((variable) => {
    const name = variable.slice(prefix.length);
    const suggestion = variable.startsWith(prefix) && !settingNames.has(name) ? closest(name, settingNames) : undefined;
    return suggestion === undefined ? [] : [`Unknown setting ${variable} (did you mean ${prefix}${suggestion}?)`];
  });
}

/** The settings page of the reference in Markdown. */
export function settingsReference(): string {
  const rows = settingDescriptions.map(({ flag, variable, doc, kind, values, default: defaultValue }) => {
    const type = values === undefined ? kind : values.map((value) => `\`${value}\``).join(", ");
    return `| \`${variable}\` | ${flag === undefined ? "" : `\`${flag}\``} | ${type} | ${defaultValue === "" ? "" : `\`${defaultValue}\``} | ${doc} |`;
  });
  return [
    "# Settings",
    "",
    "A flag overrides its variable. Durations are written as `500` (milliseconds), `10s` or `1m30s`; sizes as `65536` (bytes), `64k` or `10MiB`.",
    "",
    "| Variable | Flag | Type | Default | Description |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
