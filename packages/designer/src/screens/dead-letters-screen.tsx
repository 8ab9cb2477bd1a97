import { MailCheck } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { Link } from "wouter";
import type { DeadLetter, DeadLetterDetail } from "@sluice/client";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { EmptyState } from "../controls/empty-state.tsx";
import { Field } from "../controls/field.tsx";
import { MessageView } from "../controls/message-view.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { SearchField } from "../controls/search-field.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { DeadLetterTable } from "./dead-letter-table.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { useTitle } from "./shell-context.tsx";
import { useBulkReplay } from "./use-bulk-replay.ts";
import { usePolled } from "../api-client/use-polled.ts";

const labels = strings.deadLetters;
const maxDeadLetters = 200;
const pollMs = 5000;

/** Dead letters: view, replay, delete. */
export function DeadLettersScreen() {
  const target = useWorkspace((state) => state.target);
  const [text, setText] = useState("");
  const [routeId, setRouteId] = useState("");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [removing, setRemoving] = useState<readonly string[]>([]);
  const [confirming, setConfirming] = useState<{ readonly text: string; readonly flowIds: readonly string[]; run(): void } | undefined>(undefined);
  const [opened, setOpened] = useState<DeadLetterDetail | undefined>(undefined);
  const [note, setNote] = useState("");
  useTitle(strings.pageTitle(labels.title));
  const filter = useMemo(() => ({ ...(text === "" ? {} : { text }), ...(routeId === "" ? {} : { routeId }) }), [text, routeId]);
  const load = useCallback(() => runtimeAt(target).call("GET /dead-letters", { query: { ...filter, limit: maxDeadLetters } }), [filter, target]);
  const [loaded, refresh] = usePolled(target === undefined ? undefined : load, pollMs);
  const isLoaded = loaded !== undefined && "value" in loaded;
  const deadLetters = isLoaded ? loaded.value.deadLetters : [];
  const total = isLoaded ? loaded.value.total : 0;
  const isEmpty = isLoaded && total === 0 && text === "" && routeId === "";
  const showResult = (message: string): void => {
    setNote(message);
    setSelected(new Set());
    refresh();
  };
  const showError = (error: Error): void => setNote(error.message);
  const replay = async (ids: readonly string[]): Promise<void> => {
    const { succeeded, error } = await forEachOf(
      ids,
      async (id) => (await runtimeAt(target).call("POST /dead-letters/:id/replay", { params: { id } })).replayed,
    );
    showResult(labels.done(succeeded, ids.length - succeeded, error));
  };
  const confirmReplay = (list: readonly DeadLetter[]): void =>
    setConfirming({
      text: strings.replay.deadLetters(list.length),
      flowIds: [...new Set(list.map(({ flowId }) => flowId))],
      run: () => void replay(list.map(({ id }) => id)),
    });
  const remove = async (ids: readonly string[]): Promise<void> => {
    setRemoving([]);
    const { succeeded, error } = await forEachOf(ids, async (id) => (await runtimeAt(target).call("DELETE /dead-letters/:id", { params: { id } }), true));
    showResult(labels.removed(succeeded, ids.length - succeeded, error));
  };
  const bulk = useBulkReplay(target, (job) => showResult(labels.done(job.replayed, job.failed)), showError);
  const open = ({ id }: DeadLetter): void => void runtimeAt(target).call("GET /dead-letters/:id", { params: { id } }).then(setOpened, showError);
  const shownNote = bulk.job === undefined ? note : labels.progress(bulk.job.replayed + bulk.job.failed + bulk.job.skipped, bulk.job.total);
  const selectedIds = deadLetters.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{labels.title}</h1>
        {isEmpty || !isLoaded ? null : <span className="muted">{labels.of(deadLetters.length, total)}</span>}
        <span className="grow" />
        {selectedIds.length === 0 ? null : (
          <>
            <Button onClick={() => confirmReplay(deadLetters.filter(({ id }) => selected.has(id)))}>{labels.replaySelected(selectedIds.length)}</Button>
            <Button onClick={() => setRemoving(selectedIds)}>{labels.removeSelected(selectedIds.length)}</Button>
          </>
        )}
        {bulk.job !== undefined ? (
          <Button onClick={bulk.cancel}>{labels.cancelReplay}</Button>
        ) : routeId === "" || deadLetters.length === 0 ? null : (
          <Button
            onClick={() =>
              setConfirming({
                text: strings.replay.deadLettersOf(routeId),
                flowIds: [...new Set(deadLetters.map(({ flowId }) => flowId))],
                run: () => bulk.start(filter),
              })
            }
          >
            {labels.replayAll(routeId)}
          </Button>
        )}
      </div>
      <p className={shownNote === "" ? "visually-hidden" : "muted"} aria-live="polite">
        {shownNote}
      </p>
      {loaded !== undefined && "error" in loaded ? <FailureBanner text={loaded.error} /> : null}
      {isEmpty ? (
        <EmptyState icon={<MailCheck size={40} aria-hidden="true" />} title={labels.emptyTitle} text={labels.emptyText} />
      ) : (
        <>
          <Filters deadLetters={deadLetters} text={text} onText={setText} routeId={routeId} onRoute={setRouteId} />
          {isLoaded ? (
            <DeadLetterTable
              deadLetters={deadLetters}
              selected={selected}
              onSelect={setSelected}
              onOpen={open}
              onReplay={(deadLetter) => confirmReplay([deadLetter])}
              onRemove={({ id }) => setRemoving([id])}
            />
          ) : null}
        </>
      )}
      {confirming === undefined ? null : <ReplayDialog {...confirming} onReplay={confirming.run} onClose={() => setConfirming(undefined)} />}
      {removing.length === 0 ? null : (
        <Dialog
          title={labels.removeTitle(removing.length)}
          onClose={() => setRemoving([])}
          actions={
            <>
              <Button onClick={() => setRemoving([])}>{strings.common.cancel}</Button>
              <Button variant="primary" onClick={() => void remove(removing)}>
                {labels.remove}
              </Button>
            </>
          }
        >
          <p>{labels.removeText}</p>
        </Dialog>
      )}
      {opened === undefined ? null : (
        <Dialog
          wide
          title={opened.id}
          onClose={() => setOpened(undefined)}
          actions={<Button onClick={() => setOpened(undefined)}>{strings.common.close}</Button>}
        >
          <p className="field__error">{opened.error.message}</p>
          {opened.runId === null ? null : <Link href={`/flows/${opened.flowId}/runs/${opened.runId}`}>{labels.run}</Link>}
          <MessageView label={labels.message} before={undefined} after={opened.message} />
        </Dialog>
      )}
    </div>
  );
}

/** Calls `act` for each id, even after an error. Returns the number of successes and the first error. */
async function forEachOf(ids: readonly string[], act: (id: string) => Promise<boolean>): Promise<{ readonly succeeded: number; readonly error?: string }> {
  let succeeded = 0;
  let error: string | undefined;
  for (const id of ids) {
    try {
      if (await act(id)) succeeded++;
    } catch (reason) {
      error ??= (reason as Error).message;
    }
  }
  return { succeeded, ...(error === undefined ? {} : { error }) };
}

interface FilterProps {
  readonly deadLetters: readonly DeadLetter[];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly routeId: string;
  readonly onRoute: (routeId: string) => void;
}

function Filters({ deadLetters, text, onText, routeId, onRoute }: FilterProps) {
  const routes = [...new Set([...deadLetters.map((deadLetter) => deadLetter.routeId), ...(routeId === "" ? [] : [routeId])])].toSorted();
  return (
    <div className="filters" role="search">
      <SearchField label={labels.search} hint={labels.searchHint} value={text} onChange={onText} />
      <Field label={labels.route}>
        {(control) => (
          <select {...control} className="input" value={routeId} onChange={(event) => onRoute(event.target.value)}>
            <option value="">{strings.common.all}</option>
            {routes.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
