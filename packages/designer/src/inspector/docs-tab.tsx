import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { strings } from "../strings.ts";
import { formatDefault, optionLabel } from "./fields/option-label.ts";
import type { FormTarget } from "./form-target.ts";
import { DocText } from "../controls/doc-text.tsx";

const text = strings.inspector;

/** The documentation of the declaration: summary, examples, all options. */
export function DocsTab({ catalog, target }: { readonly catalog: FlowCatalog | undefined; readonly target: FormTarget }) {
  const view =
    target.kind === "trigger"
      ? catalog?.connector(target.declarationName)
      : target.kind === "element"
        ? catalog?.entity(target.declarationName)
        : catalog?.step(target.declarationName);
  if (view === undefined) return <p className="muted">{catalog === undefined ? text.noCatalog : text.unknownStep}</p>;
  const examples = (view.examples as readonly { readonly title?: string; readonly yaml?: string }[]).filter(({ yaml }) => typeof yaml === "string");
  return (
    <div className="docs">
      <p>{view.summary}</p>
      {examples.length === 0 ? null : <h3>{text.examples}</h3>}
      {examples.map(({ title, yaml }, index) => (
        <figure key={index}>
          <figcaption className="field__hint">{title}</figcaption>
          <pre className="inspector__yaml" tabIndex={0} aria-label={title}>
            {yaml}
          </pre>
        </figure>
      ))}
      {view.options.length === 0 ? null : (
        <>
          <h3>{text.options}</h3>
          <dl className="docs__options">
            {view.options.map((option) => (
              <div key={option.name}>
                <dt>
                  <span className="mono">{option.name}</span> {option.required ? <span className="option__required">{text.required}</span> : null}
                </dt>
                <dd className="muted">
                  <DocText text={option.doc} /> {formatDefault(option) === undefined ? null : text.defaultIs(formatDefault(option) ?? "")}
                  <span className="visually-hidden"> {optionLabel(option)}</span>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}
