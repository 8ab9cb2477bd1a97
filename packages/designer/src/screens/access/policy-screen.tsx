import { ArrowLeft } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { Link } from "wouter";
import { documentOf, noErrors, parseErrors, withoutErrors, type PolicyErrors, type Policy } from "../../access/policy-edits.ts";
import { withValue, type Path } from "../../controls/json-path.ts";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog.tsx";
import { formatTime } from "../../controls/timestamp.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { strings } from "../../strings.ts";
import { accessStrings as labels } from "../../strings/access.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { MessageList } from "../mappings/mapping-frame.tsx";
import { useTitle } from "../shell-context.tsx";
import { useUnsavedDraft } from "../use-unsaved-draft.ts";
import { usePolled } from "../../api-client/use-polled.ts";
import { CredentialFields } from "./credential-fields.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { PolicyFormContext, type PolicyForm } from "./policy-fields.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { SampleCall } from "./sample-call.tsx";
import { LoadedScreen } from "../loaded-screen.tsx";
import "../mappings/mappings.css";
import "./access.css";

interface SavedPolicy {
  /** Undefined when the flow has no policy. */
  readonly hash: string | undefined;
  readonly policy: Policy;
  /** Why the runtime cannot read the stored policy. */
  readonly problem: string | undefined;
}

const emptyPolicy: Policy = {};

/** The access policy of one flow. */
export function PolicyScreen({ flowId }: { readonly flowId: string }) {
  const target = useWorkspace((state) => state.target);
  useTitle(strings.pageTitle(labels.policyTitle(flowId)));
  const load = useCallback(() => loadPolicy(flowId, target), [flowId, target]);
  const [loaded] = usePolled(target === undefined ? undefined : load, undefined);
  return <LoadedScreen loaded={loaded}>{(value) => <PolicyEditor key={target} flowId={flowId} loaded={value} target={target} />}</LoadedScreen>;
}

async function loadPolicy(flowId: string, target: string | undefined): Promise<SavedPolicy> {
  // The hash is read before the content: if the content changes in between, the next save is rejected instead of overwriting the change.
  const runtime = runtimeAt(target);
  const summary = (await runtime.call("GET /auth")).policies.find((entry) => entry.flowId === flowId);
  if (summary === undefined || summary.error !== null) return { hash: undefined, policy: emptyPolicy, problem: summary?.error ?? undefined };
  return { hash: summary.hash ?? undefined, policy: documentOf(await runtime.call("GET /auth/:flowId", { params: { flowId } })), problem: undefined };
}

interface EditorProps {
  readonly flowId: string;
  readonly loaded: SavedPolicy;
  readonly target: string | undefined;
}

function PolicyEditor({ flowId, loaded, target }: EditorProps) {
  const [saved, setSaved] = useState(loaded);
  const [errors, setErrors] = useState<PolicyErrors>(noErrors);
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [note, setNote] = useState("");
  const [isRemoving, setRemoving] = useState(false);
  const { draft, isChanged, isRestored, change, reset } = useUnsavedDraft<Policy>(`${target ?? ""} access ${flowId}`, saved.policy);
  const health = useWorkspace((state) => state.runtime.health);
  const routes = health?.routes.filter((route) => route.flowId === flowId).map(({ id }) => id) ?? [];
  const form = useMemo<PolicyForm>(
    () => ({
      policy: draft,
      errors,
      set(path: Path, value: unknown) {
        change(withValue(draft, path, value));
        setErrors(withoutErrors(errors, path));
      },
    }),
    [draft, errors, change],
  );
  const show = (next: SavedPolicy): void => {
    setSaved(next);
    reset(next.policy);
    setErrors(noErrors);
  };
  const fail = (reason: Error): void => {
    setNote("");
    setErrors(parseErrors(reason.message));
  };
  const save = async (): Promise<void> => {
    const runtime = runtimeAt(target);
    const reply = await runtime.call("PUT /auth/:flowId", { params: { flowId }, body: documentOf(draft), ifMatch: saved.hash });
    // Reloaded, so that secrets are shown as stored: masked, with their fingerprints.
    show({ hash: reply.hash, policy: documentOf(await runtime.call("GET /auth/:flowId", { params: { flowId } })), problem: undefined });
    setWarnings(reply.warnings);
    setNote(labels.saved(formatTime(new Date().toISOString())));
  };
  const remove = async (): Promise<void> => {
    setRemoving(false);
    await runtimeAt(target).call("DELETE /auth/:flowId", { params: { flowId } });
    show({ hash: undefined, policy: emptyPolicy, problem: undefined });
    setWarnings([]);
    setNote(labels.removed);
  };
  const isInstalled = saved.hash !== undefined || saved.problem !== undefined;
  const isOpen = !isInstalled && !isChanged;
  return (
    <PolicyFormContext.Provider value={form}>
      <div className="screen mapping">
        <Link href="/access" className="mapping__back">
          <ArrowLeft size={16} aria-hidden="true" />
          {labels.back}
        </Link>
        <div className="screen__head">
          <h1>{labels.policyTitle(flowId)}</h1>
          {isInstalled ? null : <span className="chip">{labels.isNew}</span>}
          {isChanged ? <span className="chip chip--warn">{labels.unsaved}</span> : null}
          <span className="grow" />
          <Link className="button" href={`/flows/${flowId}`}>
            {labels.toFlow}
          </Link>
          {isInstalled ? <Button onClick={() => setRemoving(true)}>{labels.remove}</Button> : null}
          {isChanged ? <Button onClick={() => show(saved)}>{labels.discard}</Button> : null}
          <Button variant="primary" title={labels.saveHint} disabled={!isChanged} onClick={() => void save().catch(fail)}>
            {labels.save}
          </Button>
        </div>
        <p className={note === "" ? "visually-hidden" : "muted"} role="status">
          {note}
        </p>
        {saved.problem === undefined ? null : <FailureBanner text={labels.invalidText(saved.problem)} />}
        {isOpen ? (
          <div className="banner banner--warn">
            <span className="banner__text">{labels.openText}</span>
          </div>
        ) : null}
        {isRestored ? (
          <div className="banner banner--info">
            <span className="banner__text">{labels.restored}</span>
          </div>
        ) : null}
        {errors.rest.length === 0 && errors.fields.size === 0 ? null : (
          <FailureBanner text={[...errors.rest, ...[...errors.fields].map(([path, message]) => `${path}: ${message}`)].join("; ")} />
        )}
        <MessageList title={labels.warnings} variant="warn" messages={warnings} />
        <CredentialFields />
        <RuleFields />
        <LimitFields />
        <SampleCall routes={routes} />
      </div>
      {isRemoving ? (
        <Dialog
          title={labels.removeTitle(flowId)}
          onClose={() => setRemoving(false)}
          actions={
            <>
              <Button onClick={() => setRemoving(false)}>{strings.common.cancel}</Button>
              <Button variant="primary" onClick={() => void remove().catch(fail)}>
                {labels.delete}
              </Button>
            </>
          }
        >
          <p>{labels.removeText}</p>
        </Dialog>
      ) : null}
    </PolicyFormContext.Provider>
  );
}
