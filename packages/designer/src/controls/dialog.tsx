import { useEffect, useId, useRef, type ReactNode, type SubmitEvent } from "react";

export interface DialogProps {
  readonly title: string;
  readonly wide?: boolean;
  /** True for content without any control: the keyboard must reach it to scroll. */
  readonly reading?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  /** Given, the dialog is a form and its primary action submits it. */
  readonly onSubmit?: () => void;
}

/** A modal dialog on the browser's own element, which keeps the focus inside and gives it back. */
export function Dialog({ title, wide = false, reading = false, onClose, children, actions, onSubmit }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const frame = (
    <>
      <div className="dialog__head">
        <h2 id={heading}>{title}</h2>
      </div>
      <div className="dialog__body" {...(reading ? { tabIndex: 0, role: "region", "aria-labelledby": heading } : {})}>
        {children}
      </div>
      {actions === undefined ? null : <div className="dialog__foot">{actions}</div>}
    </>
  );
  return (
    <dialog
      ref={element}
      className={`dialog${wide ? " dialog--wide" : ""}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {onSubmit === undefined ? (
        <div className="dialog__frame">{frame}</div>
      ) : (
        <form
          className="dialog__frame"
          noValidate
          onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
            event.preventDefault();
            onSubmit();
            // Fields that are wrong are marked once this is drawn; the first of them is where to go on.
            requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
          }}
        >
          {frame}
        </form>
      )}
    </dialog>
  );
}
