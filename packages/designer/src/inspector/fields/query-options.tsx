import type { Edit, OptionView } from "@sluice/model";
import { ConnectionSelect } from "../../connections/connection-select.tsx";
import { strings } from "../../strings.ts";
import { connectionBeans } from "../connection-beans.ts";
import { useForm } from "../form-scope.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { BrowseButton } from "./browse-button.tsx";
import { OptionFrame } from "./option-frame.tsx";
import { optionLabel } from "./option-label.ts";
import { TypedInput } from "./typed-input.tsx";

const labels = strings.inspector;

type Query = readonly (readonly [string, string])[];

export interface QueryOptionsProps {
  readonly options: readonly OptionView[];
  readonly query: Query;
  write(query: Query): (source: string) => Edit;
}

/** Options after the `?` of a URI: edited there, so that they stay where the author wrote them. */
export function QueryOptions({ options, query, write }: QueryOptionsProps) {
  const scope = useForm();
  const writer = useFormWriter();
  return query.map(([name, value], index) => {
    const option = options.find((candidate) => candidate.name === name) ?? unknownOption(name);
    const label = optionLabel(option);
    const remove = (): boolean => writer.write(labels.changed(label), write(query.toSpliced(index, 1)));
    const replaceValue = (text: string) => write(query.toSpliced(index, 1, [name, text.replaceAll("&", "%26")]));
    return (
      <OptionFrame
        key={name}
        option={{ ...option, required: false }}
        isSet
        error={undefined}
        onReset={remove}
        extra={<BrowseButton option={option} onChoose={(selected) => writer.write(labels.changed(label), replaceValue(selected))} />}
      >
        {(control) =>
          option.connection === undefined ? (
            <TypedInput control={control} name={name} label={label} value={value} mono secret={option.secret} write={replaceValue} />
          ) : (
            <ConnectionSelect
              option={option}
              control={control}
              value={value}
              catalog={scope.catalog}
              beans={connectionBeans(scope.tree, option, scope.catalog)}
              choose={(reference) => (reference === "" ? remove() : writer.write(labels.changed(label), replaceValue(reference)))}
            />
          )
        }
      </OptionFrame>
    );
  });
}

const unknownOption = (name: string): OptionView => ({ name, kind: "string", type: "string", doc: "", required: false, group: "common", secret: false });
