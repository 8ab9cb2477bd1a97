import type { ReactNode } from "react";

/** The error of a screen, followed by possible actions. */
export function FailureBanner({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className="banner banner--fail" role="alert">
      <span className="banner__text">{text}</span>
      {children}
    </div>
  );
}
