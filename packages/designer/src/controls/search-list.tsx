import { useId, useState, type ReactNode } from "react";
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
  readonly none: string;
  readonly children: (item: Item) => ReactNode;
}

/** An input with a result list, for keyboard and mouse: arrow keys navigate, Enter selects. */
export function SearchList<Item>({ label, listLabel, query, onQuery, items, keyOf, onChoose, none, children }: SearchListProps<Item>) {
  const [active, setActive] = useState(0);
  const list = useId();
  const chosen = Math.min(active, items.length - 1);
  return (
    <div className="search-list">
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={items.length === 0 ? undefined : `${list}-${chosen}`}
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
          const item = items[chosen];
          if (item === undefined) return;
          if (by === 0) return onChoose(item);
          const next = (chosen + by + items.length) % items.length;
          setActive(next);
          document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: "nearest" });
        }}
      />
      <ul className="search-list__items" role="listbox" id={list} aria-label={listLabel}>
        {items.map((item, index) => (
          <li
            key={keyOf(item)}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="search-list__item"
            onClick={() => onChoose(item)}
            onMouseMove={() => setActive(index)}
          >
            {children(item)}
          </li>
        ))}
      </ul>
      {items.length === 0 ? <p className="muted">{none}</p> : null}
    </div>
  );
}
