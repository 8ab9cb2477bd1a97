import { useState } from "react";
import { maxNames, useNames, type NamesQuery } from "../../connections/use-names.ts";
import { Button } from "../../controls/button.tsx";
import { FailureBanner } from "../../controls/failure-banner.tsx";
import { SearchField } from "../../controls/search-field.tsx";
import { strings } from "../../strings.ts";
import { connectionStrings } from "../../strings/connections.ts";

const text = connectionStrings.browse;

export interface ServerContentsProps {
  readonly id: string;
  readonly target: string | undefined;
  /** The kinds of names that the type of the connection can list. */
  readonly browses: readonly string[];
  readonly isChanged: boolean;
}

/** The names that exist on the server of a saved connection. Nothing is loaded until the user requests it. */
export function ServerContents({ id, target, browses, isChanged }: ServerContentsProps) {
  const [what, setWhat] = useState<string | undefined>(undefined);
  return (
    <section className="panel" aria-label={text.title}>
      <h2>{text.title}</h2>
      <p className="muted">{isChanged ? text.savedOnly : text.text}</p>
      <div className="connections__outcome">
        {browses.map((kind) => (
          <Button key={kind} aria-pressed={kind === what} onClick={() => setWhat(kind)}>
            {text.list(kind)}
          </Button>
        ))}
      </div>
      {what === undefined ? null : <NameList key={what} query={{ target, connection: id, what }} />}
    </section>
  );
}

function NameList({ query }: { readonly query: NamesQuery }) {
  const { what, connection } = query;
  const [prefix, setPrefix] = useState("");
  const [found, refresh] = useNames(query, prefix);
  const names = found !== undefined && "value" in found ? found.value : undefined;
  return (
    <>
      <div className="filters" role="search">
        <SearchField label={text.search} value={prefix} onChange={setPrefix} />
        <Button onClick={refresh}>{text.refresh}</Button>
      </div>
      <p className="muted" role="status">
        {found === undefined
          ? strings.common.loading
          : names === undefined
            ? null
            : names.length === 0
              ? text.none(what, prefix)
              : names.length < maxNames
                ? text.count(names.length, what)
                : text.more(maxNames)}
      </p>
      {found !== undefined && "error" in found ? <FailureBanner text={found.error} /> : null}
      {names === undefined || names.length === 0 ? null : (
        <ul className="connections__names" aria-label={text.of(what, connection)} tabIndex={0}>
          {names.map((name) => (
            <li key={name} className="mono">
              {name}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
