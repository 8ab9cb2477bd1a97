import type { ReactNode } from "react";
import type { Polled } from "../api-client/use-polled.ts";
import { FailureBanner } from "../controls/failure-banner.tsx";
import { strings } from "../strings.ts";

interface LoadedScreenProps<T> {
  readonly loaded: Polled<T>;
  readonly children: (value: T) => ReactNode;
}

/** A screen whose content is loaded first; until then it shows a loading indicator or the error. */
export function LoadedScreen<T>({ loaded, children }: LoadedScreenProps<T>) {
  if (loaded === undefined) return <p className="screen muted">{strings.common.loading}</p>;
  if ("value" in loaded) return children(loaded.value);
  return (
    <div className="screen">
      <FailureBanner text={loaded.error} />
    </div>
  );
}
