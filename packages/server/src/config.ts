// The settings of the runtime: declared once, read once from the environment and the command line, frozen. The help text
// and the reference table come from the same declaration. Nobody else reads process.env.
import { closest, describe, f, type Field, type Values } from "@sluice/model";

const mebibyte = 1024 * 1024;

/** Every setting; its flag is the name in kebab-case (`--max-body`), its variable the name in capitals (`SERVICE_MAX_BODY`). */
export const settingFields = {
  port: f.integer({ doc: "The port to listen on; 0 picks a free one.", default: 8080, min: 0, max: 65535 }),
  host: f.string({ doc: "The address to listen on; 0.0.0.0 listens on all.", default: "127.0.0.1" }),
  dataDir: f.string({ doc: "Where flows, parameters and tables are kept; made when missing.", default: "./sluice-data" }),
  workers: f.integer({
    doc: "Processes that serve, behind one port and one management API; see docs/operations/workers.md.",
    default: 1,
    min: 1,
    max: 128,
  }),
  deployToken: f.text({ doc: "The bearer token of the management API; without it every call but health is refused.", secret: true }),
  logLevel: f.enum(["trace", "debug", "info", "warn", "error"], { doc: "The least level that is logged.", default: "info" }),
  logBuffer: f.size({ doc: "Log text that may wait for a slow reader of standard output; more is dropped and counted.", default: 8 * mebibyte }),
  watch: f.boolean({ doc: "Reload flows, value mappings, message mappings and access policies when their files change.", default: false }),
  webhookDefault: f.enum(["open", "deny"], { doc: "What a webhook without an access policy does.", default: "open" }),
  trustedProxies: f.string({ doc: "Addresses and networks of proxies, separated by commas, whose X-Forwarded-For is believed.", default: "" }),
  wrongCredentials: f.integer({ doc: "Wrong credentials one address may show one flow before it is slowed down to ten a minute.", default: 50, min: 1 }),
  testSessions: f.enum(["on", "isolated", "off"], { doc: "Whether test sessions may be opened, and whether they may mock live traffic.", default: "on" }),
  drainMs: f.duration({ doc: "How long a replaced version or a shutdown may take to finish what is under way.", default: 30_000 }),
  maxBody: f.size({ doc: "The largest request body, after decompression.", default: 10 * mebibyte }),
  maxConnections: f.integer({ doc: "Connections held at the same time; more are refused.", default: 10_000, min: 1 }),
  headersTimeoutMs: f.duration({ doc: "How long a request may take to send its head.", default: 20_000 }),
  bodyTimeoutMs: f.duration({ doc: "How long a request may take to arrive completely.", default: 60_000 }),
  keepAliveMs: f.duration({ doc: "How long an idle connection is kept.", default: 65_000 }),
  maxInflight: f.integer({ doc: "Runs of one route at the same time; more are refused.", default: 2_000, min: 1 }),
  runMs: f.duration({ doc: "How long one run may take.", default: 300_000 }),
  maxMessage: f.size({ doc: "The longest text an expression may make of a message, in characters.", default: 64 * mebibyte, min: 1 }),
  maxExchanges: f.integer({ doc: "Copies of copies one run may make, as nested multicasts and splits do.", default: 200_000, min: 1 }),
  callDepth: f.integer({ doc: "Calls of other routes within one run.", default: 100, min: 1, max: 1_000 }),
  egressAllowPrivate: f.boolean({ doc: "Whether addresses taken from messages may be private, loopback or link-local.", default: false }),
  egressAllowHosts: f.string({ doc: "Hosts that messages may name although they are private, separated by commas.", default: "" }),
  enableJs: f.boolean({ doc: "Whether flows may hold JavaScript expressions (language js), run in a sandbox with limits on time and memory.", default: false }),
  functions: f.string({ doc: "A module whose exported functions flows may call with process and bean.", examples: ["./functions.mjs"] }),
  runHistory: f.integer({ doc: "Runs kept per route.", default: 250, min: 1 }),
  runHistoryTotal: f.integer({ doc: "Runs kept over all routes.", default: 20_000, min: 1 }),
  runHistoryBytes: f.size({ doc: "Memory the run history may take, estimated.", default: 64 * mebibyte }),
  queueBytes: f.size({ doc: "Disk the messages of durable queues may take, all queues together; more are refused.", default: 1024 * mebibyte }),
  queueMessageBytes: f.size({ doc: "The largest message body a durable queue or the dead-letter store takes.", default: 16 * mebibyte }),
  deadLetters: f.integer({ doc: "Dead letters kept; the oldest go first.", default: 10_000, min: 1 }),
  deadLetterBytes: f.size({ doc: "Disk the dead letters may take; the newest is kept whatever its size.", default: 256 * mebibyte }),
  replayBytes: f.size({ doc: "Memory the input messages of past runs may take, so that they can be replayed; 0 keeps none.", default: 8 * mebibyte }),
  captureBytes: f.size({ doc: "Memory the messages of routes whose capture is switched on may take.", default: 32 * mebibyte }),
  maxStreamClients: f.integer({ doc: "Clients of the event streams at the same time.", default: 100, min: 0 }),
  streamEvents: f.integer({ doc: "Events kept per stream for clients that come back.", default: 10_000, min: 1 }),
  streamBytes: f.size({ doc: "Memory those events may take.", default: 16 * mebibyte }),
  streamClientEvents: f.integer({ doc: "Events that may wait for one slow client; the oldest are dropped then.", default: 1_000, min: 1 }),
  streamClientBytes: f.size({ doc: "Memory those waiting events may take.", default: 4 * mebibyte }),
  streamHeartbeatMs: f.duration({ doc: "How often a stream sends a comment to show that it lives.", default: 15_000 }),
  streamStuckMs: f.duration({ doc: "How long a stream client may take nothing before it is cut off.", default: 30_000 }),
  otlpEndpoint: f.string({
    doc: "The address of an OpenTelemetry collector (OTLP over HTTP, JSON) that runs are sent to as spans; `/v1/traces` is added. Without it nothing is sent.",
    examples: ["http://127.0.0.1:4318"],
  }),
  otlpHeaders: f.text({ doc: "Headers sent along, such as `authorization=Bearer x`, separated by commas.", secret: true }),
  otlpRatio: f.number({
    doc: "The share of traces begun here that is sent, 0 to 1; a caller's trace is sent when the caller samples it.",
    default: 1,
    min: 0,
    max: 1,
  }),
  otlpSpans: f.integer({ doc: "Spans that may wait for the collector; more are dropped and counted.", default: 20_000, min: 1 }),
  maxSessions: f.integer({ doc: "Test sessions open at the same time.", default: 200, min: 1 }),
  sessionCalls: f.integer({ doc: "Calls one test session records.", default: 1_000, min: 1 }),
  sessionBytes: f.size({ doc: "Memory the recorded calls of one test session may take.", default: 8 * mebibyte }),
} as const;

export type Settings = Values<typeof settingFields>;
export type SettingName = keyof Settings;

/** What a start needs to know from outside: the settings, and the environment flows may ask for. */
export interface Configuration {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The settings are wrong; the message has one sentence per fault. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.name = "SettingsError";
    this.faults = faults;
  }
}

export interface SettingDescription {
  readonly name: SettingName;
  /** Undefined for secrets: a command line can be read by every user of the machine. */
  readonly flag: string | undefined;
  readonly variable: string;
  readonly doc: string;
  readonly kind: string;
  readonly values: readonly string[] | undefined;
  readonly default: string;
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** How each setting is given, for command line, help and reference. */
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

/** Reads the settings: a flag wins over its variable, a blank variable counts as unset. Throws one SettingsError with all faults. */
export function readConfiguration(
  flags: Readonly<Partial<Record<string, string>>> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Configuration {
  const faults: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const { name, flag, variable, kind } of settingDescriptions) {
    const given = flag === undefined ? undefined : flags[name];
    const fromEnvironment = environment[variable]?.trim() === "" ? undefined : environment[variable];
    const result = (settingFields[name] as Field<unknown>).safeParse(given ?? fromEnvironment);
    if (result.success && !(kind === "duration" && (result.data as number) < 0)) settings[name] = result.data;
    else if (result.success) faults.push(`${given === undefined ? variable : flag}: expected a time of 0 or more, got '${given ?? fromEnvironment}'.`);
    else faults.push(`${given === undefined ? variable : flag}: ${result.error.issues[0]?.message ?? "not understood"}.`);
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return { settings: Object.freeze(settings) as Settings, environment: Object.freeze({ ...environment }) };
}

/** Variables that look like a setting with a typing error, each with a sentence; others of the same beginning are somebody else's. */
export function misnamedVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const beginning = "SERVICE_";
  const known = new Set(settingDescriptions.map(({ variable }) => variable.slice(beginning.length)));
  return Object.keys(environment).flatMap((name) => {
    const rest = name.slice(beginning.length);
    const near = name.startsWith(beginning) && !known.has(rest) ? closest(rest, known) : undefined;
    return near === undefined ? [] : [`the variable ${name} is no setting (did you mean ${beginning}${near}?)`];
  });
}

/** The settings page of the reference, as Markdown. */
export function settingsReference(): string {
  const rows = settingDescriptions.map(({ flag, variable, doc, kind, values, default: standard }) => {
    const type = values === undefined ? kind : values.map((value) => `\`${value}\``).join(", ");
    return `| \`${variable}\` | ${flag === undefined ? "" : `\`${flag}\``} | ${type} | ${standard === "" ? "" : `\`${standard}\``} | ${doc} |`;
  });
  return [
    "# Settings",
    "",
    "A flag wins over its variable. Durations take `500`, `10s`, `1m30s`; sizes take `65536`, `64k`, `10MiB`.",
    "",
    "| Variable | Flag | Type | Default | Meaning |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
