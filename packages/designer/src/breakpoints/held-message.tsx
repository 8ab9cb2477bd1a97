import { Field } from "../controls/field.tsx";
import { strings } from "../strings.ts";
import { draftProblem, editHeldBody, useWatch } from "./breakpoint-watch.ts";

const text = strings.breakpoints;

/** The body of the held message, which can be changed before it continues. */
export function HeldMessage() {
  const held = useWatch((state) => state.session?.held);
  const draft = useWatch((state) => state.draft);
  if (held === null || held === undefined) return null;
  const isReadOnly = held.message.truncated;
  return (
    <div className="data__held">
      <Field label={text.body} hint={isReadOnly ? text.truncated : text.bodyHint} error={draftProblem(held, draft)}>
        {(control) => (
          <textarea
            {...control}
            className="input input--mono"
            rows={14}
            spellCheck={false}
            readOnly={isReadOnly}
            value={draft}
            onChange={(event) => editHeldBody(event.target.value)}
          />
        )}
      </Field>
    </div>
  );
}
