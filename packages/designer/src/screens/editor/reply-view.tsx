import type { TryReply } from "../../api-client/workspace-client.ts";
import { strings } from "../../strings.ts";

const text = strings.tryIt;

/** The reply of a deployed flow. */
export function ReplyView({ reply }: { readonly reply: TryReply }) {
  return (
    <section className="try__response" aria-label={text.response}>
      <h2>{text.response}</h2>
      <p>
        <span className={`chip ${reply.status < 400 ? "chip--ok" : "chip--fail"}`}>{reply.status}</span>{" "}
        <span className="muted">{text.took(reply.durationMs)}</span>
      </p>
      <pre className="try__body">{reply.body}</pre>
      {reply.truncated ? <p className="muted">{text.truncated}</p> : null}
    </section>
  );
}
