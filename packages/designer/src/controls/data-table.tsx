import type { ReactNode } from "react";

interface Heading {
  readonly text: ReactNode;
  readonly kind: "number" | "hidden";
}
type Headings = readonly (ReactNode | Heading)[];

/** The heading of a column with right-aligned numbers. */
export const numericHeading = (text: string): Heading => ({ text, kind: "number" });
/** A heading that only screen readers announce. */
export const hiddenHeading = (text: string): Heading => ({ text, kind: "hidden" });

interface DataTableProps {
  readonly label: string;
  readonly headings: Headings;
  /** On narrow screens every row becomes a list of its cells. */
  readonly stacks?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A table in its own region, so that it can be scrolled with the keyboard; its children are the rows. */
export function DataTable({ label, headings, stacks = false, className = "", children }: DataTableProps) {
  return (
    <div className={`table-scroll ${className}`.trim()} role="region" aria-label={label} tabIndex={0}>
      <table className={stacks ? "table table--stacks" : "table"}>
        <TableHead headings={headings} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function TableHead({ headings }: { readonly headings: Headings }) {
  return (
    <thead>
      <tr>
        {headings.map((heading, index) => {
          const { text, kind } = isHeading(heading) ? heading : { text: heading, kind: undefined };
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

const isHeading = (heading: ReactNode | Heading): heading is Heading => typeof heading === "object" && heading !== null && "kind" in heading;
