// The API reference of the current runtime, from its own OpenAPI document.
import { useCallback, useEffect, useMemo, useState } from "react";
import { apiReference, type ApiReference, type ApiSection, type OperationText, type SchemaText } from "@sluice/model";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { usePolled } from "../../api-client/use-polled.ts";
import { DocText } from "../../controls/doc-text.tsx";
import { SearchField } from "../../controls/search-field.tsx";
import { strings } from "../../strings.ts";
import { apiStrings as labels } from "../../strings/api.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { LoadedScreen } from "../loaded-screen.tsx";
import { useTitle } from "../shell-context.tsx";
import { ErrorList, MemberTable, schemaAnchor, TypeView } from "./api-text.tsx";
import { Entry, OperationTitle, OperationView, ParameterTable } from "./operation-view.tsx";
import "./api.css";

export function ApiScreen() {
  const target = useWorkspace((state) => state.target);
  useTitle(strings.pageTitle(labels.title));
  const load = useCallback(async () => apiReference(await runtimeAt(target).call("GET /openapi.json")), [target]);
  const [loaded] = usePolled(target === undefined ? undefined : load, undefined);
  return <LoadedScreen loaded={loaded}>{(reference) => <Reference target={target ?? ""} reference={reference} />}</LoadedScreen>;
}

function Reference({
  target,
  reference: { introduction, commonErrors, commonParameters, sections, schemas },
}: {
  readonly target: string;
  readonly reference: ApiReference;
}) {
  const [query, setQuery] = useState("");
  const anchor = useAnchor();
  const shown = useMemo(() => matchingSections(sections, query), [sections, query]);
  const total = shown.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <div className="screen">
      <div className="screen__head">
        <h1>{labels.title}</h1>
        <span className="muted" aria-live="polite">
          {labels.shown(total)}
        </span>
      </div>
      <p className="muted">{labels.text(target)}</p>
      <div className="filters" role="search">
        <SearchField label={labels.search} hint={labels.searchHint} value={query} onChange={setQuery} />
      </div>
      <nav aria-label={labels.groups}>
        <ul className="api-groups">
          {shown.map(({ name, title }) => (
            <li key={name}>
              <a href={`#${sectionAnchor(name)}`}>{title}</a>
            </li>
          ))}
          <li>
            <a href="#schemas">{labels.schemas}</a>
          </li>
        </ul>
      </nav>
      {query === "" ? (
        <div className="api-introduction">
          {introduction.map((text) => (
            <p key={text}>
              <DocText text={text} />
            </p>
          ))}
          <p>
            <DocText text={labels.examplesHint} />
          </p>
          <p>{labels.common}</p>
          <ErrorList errors={commonErrors} />
          {commonParameters.length === 0 ? null : (
            <>
              <p>{labels.commonParameters}</p>
              <ParameterTable label={labels.commonParameters} parameters={commonParameters} />
            </>
          )}
        </div>
      ) : null}
      {total === 0 ? <p className="muted">{strings.common.nothingFound}</p> : null}
      {shown.map((section) => (
        <Section key={section.name} section={section} anchor={anchor} />
      ))}
      {query === "" ? <Schemas schemas={schemas} anchor={anchor} /> : null}
    </div>
  );
}

function Section({ section: { name, title, description, operations }, anchor }: { readonly section: ApiSection; readonly anchor: string }) {
  const id = sectionAnchor(name);
  return (
    <section className="api-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p className="muted">
        <DocText text={description} />
      </p>
      {operations.map((operation) => (
        <Entry key={operation.id} id={operation.id} isTarget={anchor === operation.id} title={<OperationTitle operation={operation} />}>
          {() => <OperationView operation={operation} />}
        </Entry>
      ))}
    </section>
  );
}

function Schemas({ schemas, anchor }: { readonly schemas: readonly SchemaText[]; readonly anchor: string }) {
  return (
    <section className="api-section" aria-labelledby="schemas">
      <h2 id="schemas">{labels.schemas}</h2>
      <p className="muted">{labels.schemasHint}</p>
      {schemas.map(({ name, type, description, members }) => (
        <Entry key={name} id={schemaAnchor(name)} isTarget={anchor === schemaAnchor(name)} title={<code>{name}</code>}>
          {() => (
            <>
              {description === "" ? null : (
                <p>
                  <DocText text={description} />
                </p>
              )}
              {members === undefined ? (
                <p>
                  <TypeView type={type} />
                </p>
              ) : (
                <MemberTable label={labels.members(name)} members={members} />
              )}
            </>
          )}
        </Entry>
      ))}
    </section>
  );
}

const sectionAnchor = (name: string): string => `group-${name.replaceAll(" ", "-")}`;

/** The sections with the operations that contain every word of the query. */
function matchingSections(sections: readonly ApiSection[], query: string): readonly ApiSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ method, path, summary, description }: OperationText): boolean => {
    const text = `${method} ${path} ${summary} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return sections.map((section) => ({ ...section, operations: section.operations.filter(matches) })).filter(({ operations }) => operations.length > 0);
}

/** The element that the address names. */
function useAnchor(): string {
  const read = (): string => decodeURIComponent(window.location.hash.slice(1));
  const [anchor, setAnchor] = useState(read);
  useEffect(() => {
    const onChange = (): void => setAnchor(read());
    window.addEventListener("hashchange", onChange);
    return () => window.removeEventListener("hashchange", onChange);
  }, []);
  return anchor;
}
