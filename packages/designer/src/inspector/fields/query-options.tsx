import type { Edit, OptionView } from "@sluice/model";
import { strings } from "../../strings.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { OptionFrame } from "./option-frame.tsx";
import { optionLabel } from "./option-label.ts";
import { TypedInput } from "./typed-input.tsx";

const words = strings.inspector;

type Query = readonly (readonly [string, string])[];

export interface QueryOptionsProps {
  readonly options: readonly OptionView[];
  readonly query: Query;
  write(query: Query): (source: string) => Edit;
}

/** The options that are written behind the `?` of an address: edited there, so that they stay where the author put them. */
export function QueryOptions({ options, query, write }: QueryOptionsProps) {
  const writer = useFormWriter();
  return query.map(([name, value], index) => {
    const option = options.find((one) => one.name === name) ?? unknownOption(name);
    const label = optionLabel(option);
    return (
      <OptionFrame
        key={name}
        option={{ ...option, required: false }}
        isSet
        error={undefined}
        onReset={() => writer.write(words.changed(label), write(query.toSpliced(index, 1)))}
      >
        {(control) => (
          <TypedInput
            control={control}
            name={name}
            label={label}
            value={value}
            mono
            secret={option.secret}
            write={(text) => write(query.toSpliced(index, 1, [name, text.replaceAll("&", "%26")]))}
          />
        )}
      </OptionFrame>
    );
  });
}

const unknownOption = (name: string): OptionView => ({ name, kind: "string", type: "string", doc: "", required: false, group: "common", secret: false });
