import { useRef } from "react";
import { Button } from "../../controls/button.tsx";
import { Field } from "../../controls/field.tsx";
import { documentStrings as words } from "../../strings/mappings.ts";

/** The sample message of the document. */
export function DocumentSample({ sample, onSample }: { readonly sample: string; readonly onSample: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <section className="panel" aria-label={words.sample}>
      <Field label={words.sample} hint={words.sampleHint}>
        {(control) => (
          <textarea
            {...control}
            className="input input--mono mapping__sample"
            spellCheck={false}
            rows={8}
            value={sample}
            onChange={(event) => onSample(event.target.value)}
          />
        )}
      </Field>
      <div className="mapping__buttons">
        <Button onClick={() => input.current?.click()}>{words.sampleFile}</Button>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={words.sampleFile}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) void file.text().then(onSample);
          event.target.value = "";
        }}
      />
    </section>
  );
}
