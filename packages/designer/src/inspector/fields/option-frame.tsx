import { RotateCcw } from "lucide-react";
import { useId, type ReactNode } from "react";
import type { OptionView } from "@sluice/model";
import type { FieldControl } from "../../controls/field.tsx";
import { strings } from "../../strings.ts";
import { formatDefault, optionLabel } from "./option-label.ts";
import { DocText } from "../../controls/doc-text.tsx";

const text = strings.inspector;

export interface OptionFrameProps {
  readonly option: OptionView;
  readonly isSet: boolean;
  readonly error: string | undefined;
  readonly onReset?: (() => void) | undefined;
  readonly extra?: ReactNode;
  /** Places the label next to the control instead of above it. */
  readonly beside?: boolean;
  readonly children: (control: OptionControl) => ReactNode;
}

/** Attributes that a control gets from its frame. */
interface OptionControl extends FieldControl {
  readonly "aria-required": boolean | undefined;
}

/** Hidden from screen readers, which use `aria-required` of the control instead. */
const RequiredMark = () => (
  <span className="option__required" aria-hidden="true">
    {text.required}
  </span>
);

/** Label, control, help, error and reset button of an option. */
export function OptionFrame({ option, isSet, error, onReset, extra, beside = false, children }: OptionFrameProps) {
  const id = useId();
  const label = optionLabel(option);
  const defaultValue = formatDefault(option);
  const control: OptionControl = {
    id,
    "aria-describedby": error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`,
    "aria-invalid": error === undefined ? undefined : true,
    "aria-required": option.required || undefined,
  };
  return (
    <div className={`option${beside ? " option--beside" : ""}`} data-set={isSet || undefined}>
      <div className="option__head">
        {beside ? children(control) : null}
        <label className="field__label" htmlFor={id}>
          {label}
        </label>
        {option.required ? <RequiredMark /> : null}
        <span className="grow" />
        {extra}
        {isSet && !option.required && onReset !== undefined ? (
          <button type="button" className="icon-button" aria-label={text.reset(label)} title={text.reset(label)} onClick={onReset}>
            <RotateCcw size={14} aria-hidden="true" />
          </button>
        ) : null}
      </div>
      {beside ? null : children(control)}
      <div className="field__hint" id={`${id}-hint`}>
        <DocText text={option.doc} />
        {defaultValue === undefined || isSet ? null : ` ${text.defaultIs(defaultValue)}`}
      </div>
      {error === undefined ? null : (
        <div className="field__error" id={`${id}-error`}>
          {error}
        </div>
      )}
    </div>
  );
}
