import { ScrollText } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { Button } from "../controls/button.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { Field } from "../controls/field.tsx";
import { formatTime } from "../controls/timestamp.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { LogBuffer, type LogLine } from "./log-buffer.ts";
import { useTitle } from "./shell-context.tsx";
import { useStream } from "../api-client/use-stream.ts";
import "./logs-screen.css";

const labels = strings.logs;
const levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"] as const;
const shownLines = 500;

export function LogsScreen() {
  const { lines, dropped, connection, clear, paused, setPaused } = useLogLines();
  const [level, setLevel] = useState<string>("TRACE");
  const [query, setQuery] = useState("");
  useTitle(strings.pageTitle(labels.title));
  const visibleLines = lines.filter((line) => matches(line, level, query)).slice(-shownLines);
  return (
    <div className="screen screen--full">
      <div className="screen__head">
        <h1>{labels.title}</h1>
        <span className={`chip ${connection === "open" ? "chip--ok" : connection === "down" ? "chip--fail" : ""}`}>{labels.state[connection]}</span>
        <span className="grow" />
        <Button onClick={() => setPaused(!paused)}>{paused ? labels.resume : labels.pause}</Button>
        <Button onClick={clear}>{labels.clear}</Button>
      </div>
      <div className="filters" role="search">
        <SearchField label={labels.search} hint={labels.searchHint} value={query} onChange={setQuery} />
        <Field label={labels.level}>
          {(control) => (
            <select {...control} className="input" value={level} onChange={(event) => setLevel(event.target.value)}>
              {levels.map((name) => (
                <option key={name} value={name}>
                  {name} {labels.andAbove}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {dropped === 0 ? null : <p className="muted">{labels.dropped(dropped)}</p>}
      {lines.length === 0 ? (
        <EmptyState icon={<ScrollText size={40} aria-hidden="true" />} title={labels.emptyTitle} text={labels.emptyText} />
      ) : (
        <LogList lines={visibleLines} follow={!paused} />
      )}
    </div>
  );
}

function LogList({ lines, follow }: { readonly lines: readonly LogLine[]; readonly follow: boolean }) {
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (follow && atEnd.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [lines, follow]);
  return (
    <div
      className="logs"
      role="region"
      aria-label={labels.list}
      tabIndex={0}
      ref={list}
      onScroll={({ currentTarget }) => {
        atEnd.current = currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight < 40;
      }}
    >
      <table>
        <tbody>
          {lines.map((line) => (
            <tr key={line.key} data-level={line.level}>
              <td>{formatTime(line.at).slice(11)}</td>
              <td className="logs__level">{line.level}</td>
              <td>{line.flowId === null ? line.logger : <Link href={`/flows/${line.flowId}`}>{line.routeId ?? line.logger}</Link>}</td>
              <td className="logs__text">{line.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const streamQuery = { replay: 200 };

function useLogLines() {
  const target = useWorkspace((state) => state.target);
  const buffer = useRef(new LogBuffer());
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [paused, setPaused] = useState(false);
  const show = (): void => setLines([...buffer.current.lines]);
  const clear = (): void => {
    buffer.current.clear();
    setLines([]);
  };
  useEffect(clear, [target]);
  const { connection, dropped } = useStream(
    "GET /logs/stream",
    streamQuery,
    target,
    (event) => event.name === "log" && buffer.current.push(event.data),
    () => !paused && show(),
  );
  return {
    lines,
    dropped,
    connection,
    paused,
    setPaused: (next: boolean) => {
      setPaused(next);
      if (!next) show();
    },
    clear,
  };
}

function matches(line: LogLine, level: string, query: string): boolean {
  if (levels.indexOf(line.level as (typeof levels)[number]) < levels.indexOf(level as (typeof levels)[number])) return false;
  const text = `${line.message} ${line.routeId ?? ""} ${line.logger}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
