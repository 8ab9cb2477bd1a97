import { Copy, X } from "lucide-react";
import { useState } from "react";
import { triggerLabel } from "../../canvas/card-label.ts";
import { useCatalog } from "../../catalog/use-catalog.ts";
import { Button } from "../../controls/button.tsx";
import { copyText } from "../../controls/copy-text.ts";
import { useEditor, useEditorState } from "../../editor/editor-context.ts";
import { strings } from "../../strings.ts";
import { curlOf } from "../../trial/curl.ts";
import { calledPath } from "../../trial/sample-draft.ts";
import { useTrialState } from "../../trial/trial-context.ts";
import { useSend } from "../../trial/use-send.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";

const labels = strings.deployedPanel;

/** Shown after a deployment: how to call the flow, or what triggers it. `onTry` opens the form when a call fails or has no run to show. */
export function DeployedPanel({ onTry }: { readonly onTry: () => void }) {
  const editor = useEditor();
  const target = useEditorState((state) => state.deployedTo);
  const routes = useEditorState((state) => state.flow.lastValid?.outline.routes);
  const sample = useTrialState((state) => state.sample);
  const baseUrl = useWorkspace((state) => state.targets.find(({ name }) => name === target)?.baseUrl);
  const catalog = useCatalog();
  const [note, setNote] = useState<string | undefined>(undefined);
  const route = routes?.find(({ from }) => catalog?.isHttpTrigger(from.uri) === true) ?? routes?.[0];
  const send = useSend(route?.id);
  if (target === undefined || route === undefined) return null;
  const isHttpTrigger = catalog?.isHttpTrigger(route.from.uri) === true;
  const method = route.from.options["httpMethodRestrict"]?.split(",")[0] ?? sample.method;
  const url = `${baseUrl ?? ""}${calledPath(route)}`;
  const copy = (what: string, text: string): void => void copyText(text).then((isCopied) => setNote(isCopied ? labels.copied(what) : strings.common.notCopied));
  const label = triggerLabel(route, catalog);
  return (
    <section className="deployed" aria-label={labels.title(target)}>
      <strong>{labels.title(target)}</strong>
      {isHttpTrigger ? (
        <>
          <code className="deployed__url">
            {method} {url}
          </code>
          <Button icon={<Copy size={14} aria-hidden="true" />} onClick={() => copy(labels.url, url)}>
            {labels.copyUrl}
          </Button>
          <Button icon={<Copy size={14} aria-hidden="true" />} onClick={() => copy(labels.curl, curlOf(method, url, sample))}>
            {labels.copyCurl}
          </Button>
          <Button
            variant="primary"
            onClick={() =>
              void send().then(
                // Without a run there is only the reply to show.
                (reply) => reply?.runId === null && onTry(),
                (error: Error) => {
                  setNote(error.message);
                  onTry();
                },
              )
            }
          >
            {labels.send}
          </Button>
        </>
      ) : (
        <span className="muted">{labels.starts(label.title, label.subtitle)}</span>
      )}
      <span className="muted" aria-live="polite">
        {note}
      </span>
      <Button
        className="deployed__close"
        variant="quiet"
        icon={<X size={16} aria-hidden="true" />}
        aria-label={strings.common.close}
        title={strings.common.close}
        onClick={() => editor.closeDeployed()}
      />
    </section>
  );
}
