import { useState } from "react";
import { Dialog } from "../../../controls/dialog.tsx";
import { SearchList } from "../../../controls/search-list.tsx";
import type { Members } from "../../../data-panel/message-data.ts";
import { valueChoices } from "../../../mappings/value-choices.ts";
import { mapperStrings as labels } from "../../../strings/mapper.ts";

interface ValueDialogProps {
  readonly document: Members;
  readonly path: string;
  readonly isInLoop: boolean;
  readonly onChoose: (formula: string) => void;
  readonly onClose: () => void;
}

/** A constant, the position in a list or the time as the value of a target field. */
export function ValueDialog({ document, path, isInLoop, onChoose, onClose }: ValueDialogProps) {
  const [query, setQuery] = useState("");
  return (
    <Dialog title={labels.valueTitle(path)} onClose={onClose}>
      <SearchList
        label={labels.valueSearch}
        listLabel={labels.valueTitle(path)}
        query={query}
        onQuery={setQuery}
        items={valueChoices(document, path, isInLoop, query)}
        keyOf={({ title, formula }) => `${title} ${formula}`}
        headingOf={({ group }) => group}
        onChoose={({ formula }) => onChoose(formula)}
        emptyText={labels.functionNone}
      >
        {({ title, formula }) => (
          <>
            <span className="grow">{title}</span>
            <span className="search-list__aside mono">{formula}</span>
          </>
        )}
      </SearchList>
    </Dialog>
  );
}
