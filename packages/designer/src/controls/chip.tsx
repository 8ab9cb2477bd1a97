import { CircleAlert, CircleCheck, CircleDashed, CircleDot } from "lucide-react";
import type { ReactNode } from "react";

const tones = {
  ok: { icon: CircleCheck, className: " chip--ok" },
  warn: { icon: CircleDot, className: " chip--warn" },
  fail: { icon: CircleAlert, className: " chip--fail" },
  idle: { icon: CircleDashed, className: "" },
} as const;

type Tone = keyof typeof tones;

interface ChipProps {
  readonly tone: Tone;
  /** True when the state cannot be confirmed now: the chip is gray. */
  readonly isStale?: boolean;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

/** A state as an icon and a word, so that it does not depend on color. */
export function Chip({ tone, isStale = false, title, children }: ChipProps) {
  const { icon: Icon, className } = tones[tone];
  return (
    <span className={`chip${isStale ? " chip--stale" : className}`} title={title}>
      <Icon size={14} aria-hidden="true" />
      {children}
    </span>
  );
}
