import { useEffect, useRef, useState, type ReactNode } from "react";
import type { BodyText, OperationText, ParameterText, ReplyText } from "@sluice/model";
import { DataTable } from "../../controls/data-table.tsx";
import { DocText } from "../../controls/doc-text.tsx";
import { apiStrings as labels } from "../../strings/api.ts";
import { Code, ContentView, ErrorList, Meaning, MemberTable, TypeView } from "./api-text.tsx";

const { columns, headings } = labels;

interface EntryProps {
  readonly id: string;
  readonly title: ReactNode;
  readonly isTarget: boolean;
  /** Rendered when the entry is opened first: the reference has hundreds of tables. */
  readonly children: () => ReactNode;
}

/** An entry of the reference that opens on demand, or because the address names it. */
export function Entry({ id, title, isTarget, children }: EntryProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isTarget || details.current === null) return;
    details.current.open = true;
    details.current.scrollIntoView();
  }, [isTarget]);
  return (
    <details id={id} ref={details} className="api-entry" onToggle={(event) => event.currentTarget.open && setWasOpened(true)}>
      <summary>{title}</summary>
      {wasOpened ? <div className="api-entry__content">{children()}</div> : null}
    </details>
  );
}

export function OperationTitle({ operation: { method, path, summary } }: { readonly operation: OperationText }) {
  return (
    <span className="api-operation">
      <span className={`api-method api-method--${method.toLowerCase()}`}>{method}</span>
      <code>{path}</code>
      <span className="api-operation__summary">
        <DocText text={summary} />
      </span>
    </span>
  );
}

export function OperationView({ operation }: { readonly operation: OperationText }) {
  const { method, path, description, needsToken, parameters, body, replies, errors, example } = operation;
  const name = `${method} ${path}`;
  return (
    <>
      <p>
        <DocText text={description} /> {needsToken ? null : labels.noToken}
      </p>
      {parameters.length === 0 ? null : (
        <>
          <h3>{headings.parameters}</h3>
          <ParameterTable label={labels.parameters(name)} parameters={parameters} />
        </>
      )}
      {body === undefined ? null : <Body name={name} body={body} />}
      <Replies name={name} replies={replies} />
      {errors.length === 0 ? null : (
        <>
          <h3>{headings.errors}</h3>
          <ErrorList errors={errors} />
        </>
      )}
      <Code label={headings.example} text={example} />
      {replies.map((reply) =>
        reply.example === undefined ? null : <Code key={reply.status} label={`${headings.reply} ${reply.status}`} text={reply.example} />,
      )}
    </>
  );
}

export function ParameterTable({ label, parameters }: { readonly label: string; readonly parameters: readonly ParameterText[] }) {
  return (
    <DataTable label={label} headings={[columns.name, columns.in, columns.type, columns.meaning]} stacks>
      {parameters.map((parameter) => (
        <tr key={`${parameter.location} ${parameter.name}`}>
          <td>
            <code>{parameter.name}</code>
          </td>
          <td data-label={columns.in}>{parameter.location}</td>
          <td data-label={columns.type}>
            <span>
              <TypeView type={parameter.type} />
              {parameter.isRequired ? `, ${labels.required}` : ""}
              {parameter.defaultValue === undefined ? "" : `, ${labels.byDefault(parameter.defaultValue)}`}
            </span>
          </td>
          <td data-label={columns.meaning}>{parameter.description === "" ? null : <Meaning text={parameter.description} />}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function Body({ name, body: { isRequired, members, textTypes } }: { readonly name: string; readonly body: BodyText }) {
  return (
    <>
      <h3>{isRequired ? headings.body : headings.optionalBody}</h3>
      {members.length === 0 ? <p>{labels.anyBody}</p> : <MemberTable label={labels.body(name)} members={members} />}
      {textTypes.length === 0 ? null : <p>{labels.textBody(textTypes)}</p>}
    </>
  );
}

function Replies({ name, replies }: { readonly name: string; readonly replies: readonly ReplyText[] }) {
  return (
    <>
      <h3>{headings.replies}</h3>
      <DataTable label={labels.replies(name)} headings={[columns.status, columns.meaning, columns.content]} stacks>
        {replies.map(({ status, description, contents }) => (
          <tr key={status}>
            <td>{status}</td>
            <td data-label={columns.meaning}>
              <Meaning text={description} />
            </td>
            <td data-label={columns.content}>
              {contents.length === 0 ? null : (
                <span>
                  {contents.map((content, index) => (
                    <span key={index}>
                      {index === 0 ? "" : ", or "}
                      <ContentView content={content} />
                    </span>
                  ))}
                </span>
              )}
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}
