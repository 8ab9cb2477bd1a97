// A log record as a line for people, in the format of `sluice logs` and `sluice dev`. Content cannot forge lines or control a terminal.

export interface ShownRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly level: string;
  readonly logger: string;
  readonly message: string;
  /** What the record contains besides its message. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export type Color = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";
export type Paint = (color: Color, text: string) => string;

const levelColors: Readonly<Record<string, Color>> = { ERROR: "red", WARN: "yellow", INFO: "cyan" };

// oxlint-disable-next-line no-control-regex -- these characters are removed
const controls = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g;
const plain = (text: unknown): string => String(text ?? "").replaceAll(controls, " ");

/** Local time with milliseconds. */
export const timeOfDay = (iso: string): string => new Date(iso).toTimeString().slice(0, 8) + iso.slice(19, 23);

export function readableRecord({ time, level, logger, message, fields = {} }: ShownRecord, paint: Paint): string {
  const { error, ...others } = fields;
  const details = Object.entries(others).map(
    ([name, value]) => ` ${paint("dim", `${name}=${plain(typeof value === "string" ? value : JSON.stringify(value))}`)}`,
  );
  // A stack trace keeps its lines.
  const stack = typeof error === "string" ? error.split("\n").map((line) => `\n    ${paint("dim", plain(line))}`) : [];
  return `${paint("dim", timeOfDay(time))} ${paint(levelColors[level] ?? "dim", plain(level).padEnd(5))} ${paint("bold", plain(logger))} ${plain(message)}${details.join("")}${stack.join("")}`;
}

/** A line of the log as written to a file, for people; lines of other programs stay as they are. */
export function readableLine(line: string, paint: Paint): string {
  const record = parse(line);
  if (record === undefined) return line;
  const {
    time,
    level,
    logger,
    message,
    flowId: _flow,
    routeId: _route,
    stepId: _step,
    runId: _run,
    exchangeId: _exchange,
    traceId: _trace,
    ...fields
  } = record;
  if (typeof time === "string" && typeof level === "string" && !Number.isNaN(Date.parse(time)))
    return readableRecord({ time, level, logger: plain(logger), message: plain(message), fields }, paint);
  if (typeof record["baseUrl"] === "string") return `${paint("green", "Serving")} at ${plain(record["baseUrl"])}${startText(record)}`;
  return line;
}

function startText({ pid, flows, failedFlows, workers }: Readonly<Record<string, unknown>>): string {
  const failed = typeof failedFlows === "number" && failedFlows > 0 ? `, ${failedFlows} failed` : "";
  return ` (process ${plain(pid)}, ${plain(flows)} ${flows === 1 ? "flow" : "flows"}${failed}${workers === undefined ? "" : `, ${plain(workers)} workers`})`;
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
