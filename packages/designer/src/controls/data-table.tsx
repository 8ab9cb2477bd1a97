import type { ReactNode } from "react";

interface Head {
  readonly text: ReactNode;
  readonly kind: "number" | "hidden";
}
type Heads = readonly (ReactNode | Head)[];

/** The heading of a column with right-aligned numbers. */
export const numericHead = (text: string): Head => ({ text, kind: "number" });
/** A heading that only screen readers announce. */
export const hiddenHead = (text: string): Head => ({ text, kind: "hidden" });

interface DataTableProps {
  readonly label: string;
  readonly heads: Heads;
  /** On narrow screens every row becomes a list of its cells. */
  readonly stacks?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A table in its own region, so that it can be scrolled with the keyboard; its children are the rows. */
export function DataTable({ label, heads, stacks = false, className = "", children }: DataTableProps) {
  return (
    <div className={`table-scroll ${className}`.trim()} role="region" aria-label={label} tabIndex={0}>
      <table className={stacks ? "table table--stacks" : "table"}>
        <TableHead heads={heads} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function TableHead({ heads }: { readonly heads: Heads }) {
  return (
    <thead>
      <tr>
        {heads.map((head, index) => {
          const { text, kind } = isHead(head) ? head : { text: head, kind: undefined };
          return (
            <th key={index} scope="col" className={kind === "number" ? "number" : undefined}>
              {kind === "hidden" ? <span className="visually-hidden">{text}</span> : text}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

const isHead = (head: ReactNode | Head): head is Head => typeof head === "object" && head !== null && "kind" in head;
