import type { TryReply } from "../../api-client/workspace-client.ts";
import { strings } from "../../strings.ts";

const words = strings.tryIt;

/** The reply of a deployed flow. */
export function ReplyView({ reply }: { readonly reply: TryReply }) {
  return (
    <section className="try__response" aria-label={words.response}>
      <h2>{words.response}</h2>
      <p>
        <span className={`chip ${reply.status < 400 ? "chip--ok" : "chip--fail"}`}>{reply.status}</span>{" "}
        <span className="muted">{words.took(reply.durationMs)}</span>
      </p>
      <pre className="try__body">{reply.body}</pre>
      {reply.truncated ? <p className="muted">{words.truncated}</p> : null}
    </section>
  );
}
