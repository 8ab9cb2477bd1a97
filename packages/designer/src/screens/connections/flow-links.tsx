import { Fragment } from "react";
import { Link } from "wouter";
import { connectionStrings as labels } from "../../strings/connections.ts";

/** The flows that use a connection. */
export function FlowLinks({ flows }: { readonly flows: readonly string[] }) {
  if (flows.length === 0) return <span className="muted">{labels.unused}</span>;
  return flows.map((id, index) => (
    <Fragment key={id}>
      {index === 0 ? null : ", "}
      <Link href={`/flows/${id}`}>{id}</Link>
    </Fragment>
  ));
}
