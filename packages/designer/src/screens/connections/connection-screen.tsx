import { ArrowLeft } from "lucide-react";
import { useCallback, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ConnectionTestFailure, ConnectionSummary, ConnectionTestSuccess } from "@sluice/client";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { usePolled } from "../../api-client/use-polled.ts";
import { useCatalog, useCatalogLoader } from "../../catalog/use-catalog.ts";
import { documentOf, fieldErrorOf, type ConnectionDraft } from "../../connections/connection-draft.ts";
import { ConnectionStateChip } from "../../connections/connection-state-chip.tsx";
import { useConnections } from "../../connections/use-connections.ts";
import { Button } from "../../controls/button.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { Field } from "../../controls/field.tsx";
import { withValue } from "../../controls/json-path.ts";
import { formatTime } from "../../controls/timestamp.tsx";
import { strings } from "../../strings.ts";
import { connectionStrings as labels } from "../../strings/connections.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useTitle } from "../shell-context.tsx";
import { useUnsavedDraft } from "../use-unsaved-draft.ts";
import { ConnectionFields } from "./connection-fields.tsx";
import { draftKey } from "./connection-urls.ts";
import { FlowLinks } from "./flow-links.tsx";
import { ServerContents } from "./server-contents.tsx";
import { RemoveConnectionDialog } from "./remove-connection-dialog.tsx";
import { TestResult } from "./test-result.tsx";
import { LoadedScreen } from "../loaded-screen.tsx";
import "../mappings/mappings.css";
import "./connections.css";

interface SavedConnection {
  /** Undefined for a connection that does not exist yet. */
  readonly hash: string | undefined;
  readonly draft: ConnectionDraft;
}

/** One connection: its form, a test, and the flows that use it. */
export function ConnectionScreen({ id }: { readonly id: string }) {
  const target = useWorkspace((state) => state.target);
  useTitle(strings.pageTitle(id));
  useCatalogLoader();
  const load = useCallback(() => loadConnection(id, target), [id, target]);
  const [loaded] = usePolled(target === undefined ? undefined : load, undefined);
  return <LoadedScreen loaded={loaded}>{(value) => <ConnectionEditor key={target} id={id} loaded={value} target={target} />}</LoadedScreen>;
}

async function loadConnection(id: string, target: string | undefined): Promise<SavedConnection> {
  // The hash is read before the content: if the content changes in between, the next save is rejected instead of overwriting the change.
  const runtime = runtimeAt(target);
  const summary = (await runtime.call("GET /connections")).connections.find((connection) => connection.id === id);
  if (summary === undefined) return { hash: undefined, draft: { type: "", values: {} } };
  const { type, title, values } = await runtime.call("GET /connections/:id", { params: { id } });
  return { hash: summary.hash, draft: { type, ...(title === undefined ? {} : { title }), values } };
}

interface EditorProps {
  readonly id: string;
  readonly loaded: SavedConnection;
  readonly target: string | undefined;
}

function ConnectionEditor({ id, loaded, target }: EditorProps) {
  const [, navigate] = useLocation();
  const [saved, setSaved] = useState(loaded);
  const [note, setNote] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const [outcome, setOutcome] = useState<ConnectionTestSuccess | ConnectionTestFailure | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [mayForce, setMayForce] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const { draft, isChanged, isRestored, change, reset } = useUnsavedDraft<ConnectionDraft>(draftKey(id, target), saved.draft);
  const [polled] = useConnections();
  const current = polled !== undefined && "value" in polled ? polled.value.find((connection) => connection.id === id) : undefined;
  const catalog = useCatalog();
  const type = catalog?.view.connections.find((candidate) => candidate.type === draft.type);
  const runtime = runtimeAt(target);
  const isInstalled = saved.hash !== undefined;

  const edit = (next: ConnectionDraft): void => {
    change(next);
    setError(undefined);
    setOutcome(undefined);
    setMayForce(false);
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setNote("");
    setError(undefined);
    setMayForce(false);
    try {
      await work();
    } catch (reason) {
      setOutcome(undefined);
      setError((reason as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const test = async (): Promise<boolean> => {
    setOutcome(undefined);
    const tested = await runtime.call("POST /connections/:id/test", { params: { id }, body: documentOf(draft) });
    setOutcome(tested);
    return tested.ok;
  };
  const write = async (force: boolean): Promise<void> => {
    const { hash } = await runtime.call("PUT /connections/:id", { params: { id }, query: { force }, body: documentOf(draft), ifMatch: saved.hash });
    // Reloaded, so that secrets are shown as stored: masked.
    const { draft: reloaded } = await loadConnection(id, target);
    setSaved({ hash, draft: reloaded });
    reset(reloaded);
    setNote(labels.saved(formatTime(new Date().toISOString())));
  };
  const save = async (): Promise<void> => {
    if (await test()) await write(false);
    else setMayForce(true);
  };
  const discard = (): void => {
    reset(saved.draft);
    setError(undefined);
    setOutcome(undefined);
    if (!isInstalled) navigate("/connections");
  };
  const fieldError = error === undefined ? undefined : fieldErrorOf(error);
  return (
    <div className="screen mapping">
      <Link href="/connections" className="mapping__back">
        <ArrowLeft size={16} aria-hidden="true" />
        {labels.back}
      </Link>
      <div className="screen__head">
        <h1>{draft.title ?? id}</h1>
        {draft.title === undefined ? null : <span className="mono muted">{id}</span>}
        {isInstalled ? null : <span className="chip">{labels.isNew}</span>}
        {current === undefined ? null : <ConnectionStateChip connection={current} />}
        {isChanged ? <span className="chip chip--warn">{labels.unsaved}</span> : null}
        <span className="grow" />
        {isInstalled ? <Button onClick={() => setRemoving(true)}>{labels.remove}</Button> : null}
        {isChanged ? <Button onClick={discard}>{labels.discard}</Button> : null}
        <Button disabled={isBusy || type === undefined} onClick={() => void attempt(async () => void (await test()))}>
          {labels.test}
        </Button>
        <Button variant="primary" title={labels.saveHint} disabled={isBusy || !isChanged || type === undefined} onClick={() => void attempt(save)}>
          {labels.save}
        </Button>
      </div>
      <p className={note === "" ? "visually-hidden" : "muted"} role="status">
        {note}
      </p>
      <div className="connections__outcome">
        <TestResult outcome={outcome} isTesting={isBusy} />
        {mayForce ? <Button onClick={() => void attempt(() => write(true))}>{labels.saveAnyway}</Button> : null}
      </div>
      {error === undefined ? null : <FailureBanner text={error} />}
      <ConnectionProblem connection={current} />
      {isRestored && isInstalled ? (
        <div className="banner banner--info">
          <span className="banner__text">{labels.restored}</span>
        </div>
      ) : null}
      {type === undefined ? (
        <p className="muted">{catalog === undefined ? strings.common.loading : labels.unknownType(draft.type)}</p>
      ) : (
        <section className="panel" aria-label={labels.fields(type.title)}>
          <h2>{labels.fields(type.title)}</h2>
          <p className="muted">{type.summary}</p>
          <Field label={labels.displayName} hint={labels.displayNameHint}>
            {(control) => (
              <input
                {...control}
                className="input"
                maxLength={200}
                value={draft.title ?? ""}
                onChange={(event) => edit(withTitle(draft, event.target.value))}
              />
            )}
          </Field>
          <ConnectionFields
            fields={type.fields}
            form={{ values: draft.values, error: fieldError, set: (path, value) => edit({ ...draft, values: withValue(draft.values, path, value) }) }}
          />
        </section>
      )}
      {isInstalled && type !== undefined && type.browses.length > 0 ? (
        <ServerContents id={id} target={target} browses={type.browses} isChanged={isChanged} />
      ) : null}
      {isInstalled ? (
        <section className="panel" aria-label={labels.usedBy}>
          <h2>{labels.usedBy}</h2>
          {current === undefined || current.flows.length === 0 ? (
            <p className="muted">{labels.usedByNone}</p>
          ) : (
            <p>
              <FlowLinks flows={current.flows} />
            </p>
          )}
        </section>
      ) : null}
      {isRemoving && saved.hash !== undefined ? (
        <RemoveConnectionDialog
          id={id}
          hash={saved.hash}
          flows={current?.flows ?? []}
          target={target}
          onClose={() => setRemoving(false)}
          onRemoved={() => {
            reset(saved.draft);
            navigate("/connections");
          }}
        />
      ) : null}
    </div>
  );
}

function withTitle({ title: _, ...rest }: ConnectionDraft, title: string): ConnectionDraft {
  return title === "" ? rest : { ...rest, title };
}

/** Why the saved connection does not work now. */
function ConnectionProblem({ connection }: { readonly connection: ConnectionSummary | undefined }) {
  if (connection?.error !== undefined) return <FailureBanner text={labels.invalidText(connection.error)} />;
  if (connection?.state !== "down" || connection.problem === null) return null;
  return <FailureBanner text={`${labels.picker.down(connection.problem)}. ${labels.downSince(formatTime(connection.since))}`} />;
}
