import { Fragment, useId, useState, type ReactNode } from "react";
import "./search-list.css";

interface SearchListProps<Item> {
  /** Label of the input. */
  readonly label: string;
  readonly listLabel: string;
  readonly query: string;
  readonly onQuery: (text: string) => void;
  /** The results for the query, best match first. */
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly onChoose: (item: Item) => void;
  /** Shown instead of the list when nothing is found. */
  readonly emptyText: string;
  /** The heading of an item; adjacent items with the same heading form a group. */
  readonly headingOf?: (item: Item) => string;
  /** Controls between the input and the list. */
  readonly filters?: ReactNode;
  /** Details of the active item, next to the list. */
  readonly preview?: (item: Item) => ReactNode;
  readonly children: (item: Item) => ReactNode;
}

/** An input with a result list, for keyboard and mouse: arrow keys navigate, Enter selects. */
export function SearchList<Item>({
  label,
  listLabel,
  query,
  onQuery,
  items,
  keyOf,
  onChoose,
  emptyText,
  headingOf,
  filters,
  preview,
  children,
}: SearchListProps<Item>) {
  const [active, setActive] = useState(0);
  const list = useId();
  const activeIndex = Math.min(active, items.length - 1);
  const activeItem = items[activeIndex];
  const sections = sectionsOf(items, headingOf);
  return (
    <div className="search-list">
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={items.length === 0 ? undefined : `${list}-${activeIndex}`}
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        autoFocus
        value={query}
        onChange={(event) => {
          onQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (by === 0 && event.key !== "Enter") return;
          event.preventDefault();
          const item = items[activeIndex];
          if (item === undefined) return;
          if (by === 0) return onChoose(item);
          const next = (activeIndex + by + items.length) % items.length;
          setActive(next);
          document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: "nearest" });
        }}
      />
      {filters}
      <div className="search-list__columns">
        <div className="search-list__items" role="listbox" id={list} aria-label={listLabel}>
          {sections.map(({ heading, entries }) => {
            const options = entries.map(({ item, index }) => (
              <div
                key={keyOf(item)}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === activeIndex}
                className="search-list__item"
                onClick={() => onChoose(item)}
                onMouseMove={() => setActive(index)}
              >
                {children(item)}
              </div>
            ));
            return heading === undefined ? (
              <Fragment key="">{options}</Fragment>
            ) : (
              <div key={heading} role="group" aria-label={heading}>
                <div className="search-list__heading" aria-hidden="true">
                  {heading}
                </div>
                {options}
              </div>
            );
          })}
        </div>
        {preview === undefined || activeItem === undefined ? null : <div className="search-list__preview">{preview(activeItem)}</div>}
      </div>
      {items.length === 0 ? <p className="muted">{emptyText}</p> : null}
    </div>
  );
}

interface Section<Item> {
  readonly heading: string | undefined;
  readonly entries: { readonly item: Item; readonly index: number }[];
}

function sectionsOf<Item>(items: readonly Item[], headingOf: ((item: Item) => string) | undefined): readonly Section<Item>[] {
  const sections: Section<Item>[] = [];
  items.forEach((item, index) => {
    const heading = headingOf?.(item);
    const last = sections.at(-1);
    if (last !== undefined && last.heading === heading) last.entries.push({ item, index });
    else sections.push({ heading, entries: [{ item, index }] });
  });
  return sections;
}
