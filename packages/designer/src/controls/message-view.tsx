import { useState } from "react";
import { strings } from "../strings.ts";
import { messageParts, partSize, partText, type MessagePart, type PartialMessage } from "../trial/message-text.ts";
import { Button } from "./button.tsx";
import { DiffView } from "./diff-view.tsx";
import "./message-view.css";

const labels = strings.trial;

export interface MessageViewProps {
  readonly label: string;
  readonly before: PartialMessage | undefined;
  readonly after: PartialMessage | undefined;
}

/** The parts of a message, formatted for reading or compared with the previous one. */
export function MessageView({ label, before, after }: MessageViewProps) {
  const [part, setPart] = useState<MessagePart>("body");
  const [comparing, setComparing] = useState(true);
  const text = partText(after, part);
  const canCompare = before !== undefined && after !== undefined;
  return (
    <section className="message" aria-label={label}>
      <div className="message__tools">
        <div className="segments" role="group" aria-label={labels.message}>
          {messageParts.map((name) => {
            const size = partSize(after, name);
            // Rarely used parts are hidden while they are empty.
            if (size === 0 && name !== "headers" && part !== name) return null;
            return (
              <Button key={name} aria-pressed={part === name} onClick={() => setPart(name)}>
                {size === undefined ? labels.part[name] : labels.partSize(labels.part[name], size)}
              </Button>
            );
          })}
        </div>
        {canCompare ? (
          <Button aria-pressed={comparing} onClick={() => setComparing(!comparing)}>
            {labels.difference}
          </Button>
        ) : null}
      </div>
      {canCompare && comparing && partText(before, part) !== text ? (
        <DiffView before={partText(before, part)} after={text} label={`${label}, ${labels.difference}`} />
      ) : (
        <pre className="message__text" tabIndex={0} role="region" aria-label={`${label}, ${labels.part[part]}`}>
          {text === "" ? <span className="muted">{labels.nothing}</span> : text}
        </pre>
      )}
      {after?.truncated === true ? <p className="muted">{labels.truncated}</p> : null}
    </section>
  );
}
