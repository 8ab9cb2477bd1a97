import { useState } from "react";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { SearchList } from "../controls/search-list.tsx";
import { strings } from "../strings.ts";
import { connectionStrings } from "../strings/connections.ts";
import { maxNames, useNames, type BrowsedPlace } from "./use-names.ts";

const text = connectionStrings.browse;

export interface NamePickerProps {
  readonly place: BrowsedPlace;
  readonly onChoose: (name: string) => void;
  readonly onClose: () => void;
}

/** Chooses one of the names that exist on the server of a connection. */
export function NamePicker({ place, onChoose, onClose }: NamePickerProps) {
  const [prefix, setPrefix] = useState("");
  const [found, refresh] = useNames(place, prefix);
  const names = found !== undefined && "value" in found ? found.value : [];
  const error = found !== undefined && "error" in found ? found.error : undefined;
  return (
    <Dialog title={text.of(place.what, place.connection)} onClose={onClose} actions={<Button onClick={onClose}>{strings.common.cancel}</Button>}>
      <SearchList
        label={text.search}
        listLabel={text.of(place.what, place.connection)}
        query={prefix}
        onQuery={setPrefix}
        items={names}
        keyOf={(name) => name}
        onChoose={onChoose}
        none={found === undefined ? strings.common.loading : error === undefined ? text.none(place.what, prefix) : ""}
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
