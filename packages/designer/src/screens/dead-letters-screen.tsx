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
import { useTitle } from "./page-context.tsx";
import { useBulkReplay } from "./use-bulk-replay.ts";
import { usePolled } from "../api-client/use-polled.ts";

const words = strings.deadLetters;
const maxLetters = 200;
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
  useTitle(strings.pageTitle(words.title));
  const filter = useMemo(() => ({ ...(text === "" ? {} : { text }), ...(routeId === "" ? {} : { routeId }) }), [text, routeId]);
  const load = useCallback(() => runtimeAt(target).call("GET /dead-letters", { query: { ...filter, limit: maxLetters } }), [filter, target]);
  const [loaded, refresh] = usePolled(target === undefined ? undefined : load, pollMs);
  const letters = loaded !== undefined && "value" in loaded ? loaded.value.deadLetters : [];
  const total = loaded !== undefined && "value" in loaded ? loaded.value.total : 0;
  const isEmpty = loaded !== undefined && "value" in loaded && total === 0 && text === "" && routeId === "";
  const done = (sentence: string): void => {
    setNote(sentence);
    setSelected(new Set());
    refresh();
  };
  const failed = (error: Error): void => setNote(error.message);
  const replay = async (ids: readonly string[]): Promise<void> => {
    let replayed = 0;
    for (const id of ids) if ((await runtimeAt(target).call("POST /dead-letters/:id/replay", { params: { id } })).replayed) replayed++;
    done(words.done(replayed, ids.length - replayed));
  };
  const confirmReplay = (chosenLetters: readonly DeadLetter[]): void =>
    setConfirming({
      text: strings.replay.deadLetters(chosenLetters.length),
      flowIds: [...new Set(chosenLetters.map(({ flowId }) => flowId))],
      run: () => void replay(chosenLetters.map(({ id }) => id)).catch(failed),
    });
  const remove = async (ids: readonly string[]): Promise<void> => {
    setRemoving([]);
    for (const id of ids) await runtimeAt(target).call("DELETE /dead-letters/:id", { params: { id } });
    done(words.removed(ids.length));
  };
  const bulk = useBulkReplay(target, (job) => done(words.done(job.replayed, job.failed)), failed);
  const open = ({ id }: DeadLetter): void => void runtimeAt(target).call("GET /dead-letters/:id", { params: { id } }).then(setOpened, failed);
  const shownNote = bulk.job === undefined ? note : words.underWay(bulk.job.replayed + bulk.job.failed + bulk.job.skipped, bulk.job.total);
  const chosen = letters.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{words.title}</h1>
        {isEmpty ? null : <span className="muted">{words.of(letters.length, total)}</span>}
        <span className="grow" />
        {chosen.length === 0 ? null : (
          <>
            <Button onClick={() => confirmReplay(letters.filter(({ id }) => selected.has(id)))}>{words.replaySelected(chosen.length)}</Button>
            <Button onClick={() => setRemoving(chosen)}>{words.removeSelected(chosen.length)}</Button>
          </>
        )}
        {bulk.job !== undefined ? (
          <Button onClick={bulk.cancel}>{words.cancelReplay}</Button>
        ) : routeId === "" || letters.length === 0 ? null : (
          <Button
            onClick={() =>
              setConfirming({
                text: strings.replay.deadLettersOf(routeId),
                flowIds: [...new Set(letters.map(({ flowId }) => flowId))],
                run: () => bulk.start(filter),
              })
            }
          >
            {words.replayAll(routeId)}
          </Button>
        )}
      </div>
      <p className={shownNote === "" ? "visually-hidden" : "muted"} aria-live="polite">
        {shownNote}
      </p>
      {loaded !== undefined && "error" in loaded ? <FailureBanner text={loaded.error} /> : null}
      {isEmpty ? (
        <EmptyState icon={<MailCheck size={40} aria-hidden="true" />} title={words.emptyTitle} text={words.emptyText} />
      ) : (
        <>
          <Filters letters={letters} text={text} onText={setText} routeId={routeId} onRoute={setRouteId} />
          <DeadLetterTable
            letters={letters}
            selected={selected}
            onSelect={setSelected}
            onOpen={open}
            onReplay={(letter) => confirmReplay([letter])}
            onRemove={({ id }) => setRemoving([id])}
          />
        </>
      )}
      {confirming === undefined ? null : <ReplayDialog {...confirming} onReplay={confirming.run} onClose={() => setConfirming(undefined)} />}
      {removing.length === 0 ? null : (
        <Dialog
          title={words.removeTitle(removing.length)}
          onClose={() => setRemoving([])}
          actions={
            <>
              <Button onClick={() => setRemoving([])}>{strings.common.cancel}</Button>
              <Button variant="primary" onClick={() => void remove(removing).catch(failed)}>
                {words.remove}
              </Button>
            </>
          }
        >
          <p>{words.removeText}</p>
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
          {opened.runId === null ? null : <Link href={`/flows/${opened.flowId}/runs/${opened.runId}`}>{words.run}</Link>}
          <MessageView label={words.message} before={undefined} after={opened.message} />
        </Dialog>
      )}
    </div>
  );
}

interface FilterProps {
  readonly letters: readonly DeadLetter[];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly routeId: string;
  readonly onRoute: (routeId: string) => void;
}

function Filters({ letters, text, onText, routeId, onRoute }: FilterProps) {
  const routes = [...new Set([...letters.map((letter) => letter.routeId), ...(routeId === "" ? [] : [routeId])])].toSorted();
  return (
    <div className="filters" role="search">
      <SearchField label={words.search} hint={words.searchHint} value={text} onChange={onText} />
      <Field label={words.route}>
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
