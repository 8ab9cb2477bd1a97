import { useId, useState, type ReactNode } from "react";
import "./search-list.css";

interface SearchListProps<Item> {
  /** Of the field one types into. */
  readonly label: string;
  readonly listLabel: string;
  readonly query: string;
  readonly onQuery: (text: string) => void;
  /** What the query finds, best first. */
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly onChoose: (item: Item) => void;
  /** Said in place of the list when nothing is found. */
  readonly none: string;
  readonly children: (item: Item) => ReactNode;
}

/** A field and the list of what it finds, for keyboard and mouse alike: arrows go through it, Enter chooses. */
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
