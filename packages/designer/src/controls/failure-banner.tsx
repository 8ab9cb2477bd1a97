import type { ReactNode } from "react";

/** What went wrong with a screen, and behind it what can be done. */
export function FailureBanner({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className="banner banner--fail" role="alert">
      <span className="banner__text">{text}</span>
      {children}
    </div>
  );
}
