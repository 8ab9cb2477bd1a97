import type { StepOutline } from "@sluice/model";
import { strings } from "../strings.ts";

const text = strings.canvas;

/** The recipients of a step that sends to a list of addresses; a placeholder if they are computed at run time. */
export function Addresses({ step }: { readonly step: StepOutline }) {
  const [written = ""] = step.detail.split(" = ");
  const isFixed = written.includes(":") && !written.includes("${");
  const addresses = isFixed ? written.split(",").map((address) => address.trim()) : [text.eachAddress];
  return (
    <div className="blocks" data-lanes="all" aria-hidden="true">
      {addresses.map((address, index) => (
        <div className="lane" key={index}>
          <div className="gap" />
          <div className="lane__address">{address}</div>
        </div>
      ))}
    </div>
  );
}
