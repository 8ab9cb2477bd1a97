import type { ComponentProps, ReactNode } from "react";

export interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: "primary" | "quiet" | "plain";
  readonly icon?: ReactNode;
  /** The shortcut, shown but not part of the accessible name. */
  readonly keys?: string | undefined;
}

export function Button({ look = "plain", icon, keys, className = "", children, ...rest }: ButtonProps) {
  const looks = look === "plain" ? "" : ` button--${look}`;
  return (
    <button type="button" className={`button${looks}${children === undefined ? " button--icon" : ""} ${className}`} {...rest}>
      {icon}
      {children}
      {keys === undefined ? null : <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}
