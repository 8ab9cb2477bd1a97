// Values of a target field that come from no source field: constants, the position in a list, the time.
import { mapperStrings as labels } from "../strings/mapper.ts";
import type { Members } from "../data-panel/message-data.ts";
import { literalText, typedLiteral } from "./comparison.ts";
import { expectedValue } from "./mapping-fields.ts";

export interface ValueChoice {
  readonly formula: string;
  readonly title: string;
  readonly group: string;
}

/** The values to choose from; the query itself is offered as a constant. */
export function valueChoices(document: Members, path: string, isInLoop: boolean, query: string): readonly ValueChoice[] {
  const { values: titles, valueGroups: groups } = labels;
  const expected = expectedValue(document, path);
  const all: readonly ValueChoice[] = [
    ...(expected === undefined ? [] : [{ formula: literalText(expected), title: titles.expected, group: groups.target }]),
    ...(isInLoop
      ? [
          { formula: "$index + 1", title: titles.position, group: groups.list },
          { formula: "($index + 1) * 10", title: titles.positionByTen, group: groups.list },
          { formula: "$index", title: titles.index, group: groups.list },
        ]
      : []),
    { formula: "now()", title: titles.now, group: groups.time },
    { formula: "today()", title: titles.today, group: groups.time },
    { formula: "true", title: titles.yes, group: groups.constant },
    { formula: "false", title: titles.no, group: groups.constant },
    { formula: "''", title: titles.emptyText, group: groups.constant },
  ];
  const searchText = query.trim().toLowerCase();
  const found = all.filter(({ formula, title, group }) => `${title} ${formula} ${group}`.toLowerCase().includes(searchText));
  return searchText === "" ? found : [...found, { formula: typedLiteral(query), title: titles.typed, group: groups.typed }];
}
