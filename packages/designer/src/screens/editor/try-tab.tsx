import { useState } from "react";
import { workspaceClient, type TryReply } from "../../api-client/workspace-client.ts";
import { Button } from "../../controls/button.tsx";
import { Field } from "../../controls/field.tsx";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEditor, useEditorState } from "./editor-context.ts";

const words = strings.tryIt;
const methods = ["POST", "GET", "PUT", "PATCH", "DELETE"] as const;

/** Calls a webhook of the deployed flow, at the same address as everybody else. */
export function TryTab() {
  const editor = useEditor();
  const outline = useEditorState((state) => state.flow.good?.outline);
  const { target, runtime } = useWorkspace();
  const routes = (outline?.routes ?? []).filter(({ from }) => /^(webhook|platform-http)(:|\?|$)/.test(from.uri));
  const [routeId, setRouteId] = useState(routes[0]?.id ?? "");
  const [method, setMethod] = useState<string>("POST");
  const [headers, setHeaders] = useState("Content-Type: application/json");
  const [body, setBody] = useState('{"hello": "world"}');
  const [answer, setAnswer] = useState<TryReply | { readonly error: string } | undefined>(undefined);
  if (routes.length === 0) return <p className="muted">{words.noWebhook}</p>;
  const chosen = routes.some(({ id }) => id === routeId) ? routeId : (routes[0]?.id ?? "");
  const send = (): void =>
    void workspaceClient
      .tryWebhook({ target: target ?? null, routeId: chosen, method, headers: headersOf(headers), body })
      .then(setAnswer, (error: Error) => setAnswer({ error: error.message }));
  return (
    <form
      className="try"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {runtime.reachable === true && !runtime.flows.has(editor.id) ? <p className="muted">{words.notDeployed}</p> : null}
      <div className="try__ask">
        <div className="try__row">
          <Field label={words.method}>
            {(control) => (
              <select {...control} className="input" value={method} onChange={(event) => setMethod(event.target.value)}>
                {methods.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
          <Field label={words.route}>
            {(control) => (
              <select {...control} className="input input--mono" value={chosen} onChange={(event) => setRouteId(event.target.value)}>
                {routes.map(({ id }) => (
                  <option key={id}>{id}</option>
                ))}
              </select>
            )}
          </Field>
          <Button type="submit" look="primary">
            {words.send}
          </Button>
        </div>
        <Field label={words.headers}>
          {(control) => (
            <textarea
              {...control}
              className="input input--mono"
              rows={2}
              spellCheck={false}
              value={headers}
              onChange={(event) => setHeaders(event.target.value)}
            />
          )}
        </Field>
        <Field label={words.body}>
          {(control) => (
            <textarea {...control} className="input input--mono" rows={4} spellCheck={false} value={body} onChange={(event) => setBody(event.target.value)} />
          )}
        </Field>
      </div>
      <div className="try__answer" aria-live="polite">
        <h2>{words.answer}</h2>
        {answer === undefined ? null : "error" in answer ? (
          <p className="field__error">{answer.error}</p>
        ) : (
          <>
            <p>
              <span className={`chip ${answer.status < 400 ? "chip--ok" : "chip--fail"}`}>{answer.status}</span>{" "}
              <span className="muted">{words.took(answer.durationMs)}</span> <span className="mono muted">{answer.runId}</span>
            </p>
            <pre className="try__body">{answer.body}</pre>
            {answer.truncated ? <p className="muted">{words.truncated}</p> : null}
          </>
        )}
      </div>
    </form>
  );
}

function headersOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const colon = line.indexOf(":");
      return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
    }),
  );
}
