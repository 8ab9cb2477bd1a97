import { useEffect, useId, useRef, type ReactNode, type SubmitEvent } from "react";

export interface DialogProps {
  readonly title: string;
  readonly wide?: boolean;
  /** True to leave the page visible: the dialog is at the right edge. */
  readonly side?: boolean;
  /** True for content without controls, which must be focusable to scroll with the keyboard. */
  readonly focusableBody?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  /** With this handler the dialog is a form and its primary action submits it. */
  readonly onSubmit?: () => void;
}

/** A modal dialog based on the native element, which traps and restores the focus. */
export function Dialog({ title, wide = false, side = false, focusableBody = false, onClose, children, actions, onSubmit }: DialogProps) {
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
      <div className="dialog__body" {...(focusableBody ? { tabIndex: 0, role: "region", "aria-labelledby": heading } : {})}>
        {children}
      </div>
      {actions === undefined ? null : <div className="dialog__foot">{actions}</div>}
    </>
  );
  return (
    <dialog
      ref={element}
      className={`dialog${wide ? " dialog--wide" : ""}${side ? " dialog--side" : ""}`}
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
            // Invalid fields are marked after this render; focus the first one.
            requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
          }}
        >
          {frame}
        </form>
      )}
    </dialog>
  );
}
