import type { ReactNode } from "react";

export function EmptyState({
  icon,
  title,
  text,
  children,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {text === undefined ? null : <p className="muted">{text}</p>}
      {children}
    </div>
  );
}
