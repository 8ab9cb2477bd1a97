// The parts of the API reference that several of its elements show: types, tables of members, errors and code.
import { useState, type ReactNode } from "react";
import type { ContentText, ErrorText, MemberText, TypeText } from "@sluice/model";
import { Button } from "../../controls/button.tsx";
import { copyText } from "../../controls/copy-text.ts";
import { DataTable } from "../../controls/data-table.tsx";
import { DocText } from "../../controls/doc-text.tsx";
import { strings } from "../../strings.ts";
import { apiStrings as labels } from "../../strings/api.ts";

const { columns } = labels;

export const schemaAnchor = (name: string): string => `schema-${name}`;

/** A type; the names of schemas are links. */
export function TypeView({ type }: { readonly type: TypeText }) {
  return type.map((part, index) =>
    "schema" in part ? (
      <a key={index} href={`#${schemaAnchor(part.schema)}`}>
        {part.schema}
      </a>
    ) : "code" in part ? (
      <code key={index}>{part.code}</code>
    ) : (
      part.text
    ),
  );
}

export function MemberTable({ label, members }: { readonly label: string; readonly members: readonly MemberText[] }) {
  return (
    <DataTable label={label} headings={[columns.name, columns.type, columns.meaning]} stacks>
      {members.map(({ name, type, isRequired, description }) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td data-label={columns.type}>
            <span>
              <TypeView type={type} />
              {isRequired ? `, ${labels.required}` : ""}
            </span>
          </td>
          <td data-label={columns.meaning}>{description === "" ? null : <Meaning text={description} />}</td>
        </tr>
      ))}
    </DataTable>
  );
}

/** One element, so that a stacked cell has one value. */
export function Meaning({ text }: { readonly text: string }) {
  return (
    <span>
      <DocText text={text} />
    </span>
  );
}

export function ContentView({ content }: { readonly content: ContentText }) {
  switch (content.kind) {
    case "text":
      return <code>{content.mediaType}</code>;
    case "type":
      return <TypeView type={content.type} />;
    default:
      return <Names members={content.kind === "events" ? content.events : content.members} />;
  }
}

/** Names of members, with the schemas they use. */
function Names({ members }: { readonly members: readonly MemberText[] }) {
  return members.map(({ name, type }, index) => (
    <span key={name}>
      {index === 0 ? "" : ", "}
      <code>{name}</code>
      {type.some((part) => "schema" in part) ? (
        <>
          {" ("}
          <TypeView type={type} />)
        </>
      ) : null}
    </span>
  ));
}

export function ErrorList({ errors }: { readonly errors: readonly ErrorText[] }) {
  return (
    <ul className="api-errors">
      {errors.map(({ status, codes }) => (
        <li key={status}>
          <span className="api-errors__status">{status}</span>
          <ul>
            {codes.map(({ code, meaning }) => (
              <li key={code}>
                <code>{code}</code> <span className="muted">{meaning}</span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

export function Code({ label, text, children }: { readonly label: string; readonly text: string; readonly children?: ReactNode }) {
  const [note, setNote] = useState<string | undefined>(undefined);
  const copy = async (): Promise<void> => setNote((await copyText(text)) ? labels.copied : strings.common.notCopied);
  return (
    <figure className="api-code">
      <figcaption>
        <h3>{label}</h3>
        <span aria-live="polite">{note}</span>
        <Button variant="quiet" onClick={() => void copy()}>
          {labels.copy}
        </Button>
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        {children ?? text}
      </pre>
    </figure>
  );
}
