import { useState } from "react";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { SearchList } from "../controls/search-list.tsx";
import { strings } from "../strings.ts";
import { connectionStrings } from "../strings/connections.ts";
import { maxNames, useNames, type NamesQuery } from "./use-names.ts";

const text = connectionStrings.browse;

export interface NamePickerProps {
  readonly query: NamesQuery;
  readonly onChoose: (name: string) => void;
  readonly onClose: () => void;
}

/** Chooses one of the names that exist on the server of a connection. */
export function NamePicker({ query, onChoose, onClose }: NamePickerProps) {
  const [prefix, setPrefix] = useState("");
  const [found, refresh] = useNames(query, prefix);
  const names = found !== undefined && "value" in found ? found.value : [];
  const error = found !== undefined && "error" in found ? found.error : undefined;
  return (
    <Dialog title={text.of(query.what, query.connection)} onClose={onClose} actions={<Button onClick={onClose}>{strings.common.cancel}</Button>}>
      <SearchList
        label={text.search}
        listLabel={text.of(query.what, query.connection)}
        query={prefix}
        onQuery={setPrefix}
        items={names}
        keyOf={(name) => name}
        onChoose={onChoose}
        emptyText={found === undefined ? strings.common.loading : error === undefined ? text.none(query.what, prefix) : ""}
        filters={
          error === undefined ? (
            names.length < maxNames ? null : (
              <p className="muted">{text.more(maxNames)}</p>
            )
          ) : (
            <FailureBanner text={error}>
              <Button onClick={refresh}>{strings.common.retry}</Button>
            </FailureBanner>
          )
        }
      >
        {(name) => <span className="mono">{name}</span>}
      </SearchList>
    </Dialog>
  );
}
