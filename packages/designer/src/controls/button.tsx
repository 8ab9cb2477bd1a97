import type { ComponentProps, ReactNode } from "react";

export interface ButtonProps extends ComponentProps<"button"> {
  readonly variant?: "primary" | "quiet" | "plain";
  readonly icon?: ReactNode;
  /** The shortcut, shown but not part of the accessible name. */
  readonly keys?: string | undefined;
}

export function Button({ variant = "plain", icon, keys, className = "", children, ...rest }: ButtonProps) {
  const modifier = variant === "plain" ? "" : ` button--${variant}`;
  return (
    <button type="button" className={`button${modifier}${children === undefined ? " button--icon" : ""} ${className}`} {...rest}>
      {icon}
      {children}
      {keys === undefined ? null : <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}
