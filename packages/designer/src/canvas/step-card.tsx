import { CircleAlert, CirclePause, CircleX, Check } from "lucide-react";
import { createContext, memo, useContext } from "react";
import type { StepKind } from "../catalog/flow-catalog.ts";
import { strings } from "../strings.ts";
import { useBreakpointMarks } from "./breakpoint-marks.ts";
import { useCardDetails, type CardMetrics } from "./card-details.ts";
import { changeSigns, useChangeMarks, type CardChange } from "./change-marks.ts";
import { useSelectionMark } from "./selected-keys.ts";
import { StepIcon } from "./step-icon.tsx";

const text = strings.canvas;
const metricTexts = strings.metrics;

/** Everything a card shows, as plain values, so that a card with unchanged values is not re-rendered. */
export interface StepCardProps {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string;
  /** Text that screen readers announce after the title. */
  readonly label: string;
  readonly kind: StepKind;
  readonly icon: string | undefined;
  readonly level: number;
  readonly position: number;
  readonly total: number;
  readonly problems: number;
  readonly disabled: boolean;
  /** Undefined for steps without inner steps. */
  readonly expanded: boolean | undefined;
  readonly group: string | undefined;
  readonly draggable: boolean;
}

/** False for cards that have not been near the viewport yet: they have only an accessible name and no content. */
export const InViewContext = createContext(true);

export const StepCard = memo(function StepCard(props: StepCardProps) {
  const { id, title, subtitle, label, kind, level, position, total, problems, disabled, expanded, group, draggable } = props;
  const { isSelected, isTabStop } = useSelectionMark(id);
  const isInView = useContext(InViewContext);
  const common = {
    role: "treeitem",
    "aria-level": level,
    "aria-posinset": position,
    "aria-setsize": total,
    "aria-selected": isSelected,
    "aria-expanded": expanded,
    "aria-owns": expanded === true ? group : undefined,
    tabIndex: isTabStop ? 0 : -1,
    className: "card",
    "data-key": id,
    "data-kind": kind,
    "data-problem": problems > 0 || undefined,
    "data-disabled": disabled || undefined,
    draggable,
  };
  return isInView ? <CardContent {...props} frame={common} /> : <div {...common} aria-label={`${title}${label} ${subtitle}`} />;
});

function CardContent({
  id,
  title,
  subtitle,
  label,
  kind,
  icon,
  problems,
  disabled,
  frame,
}: StepCardProps & { readonly frame: Readonly<Record<string, unknown>> }) {
  const details = useCardDetails(id);
  const breakpoint = useBreakpointMarks(({ cards }) => cards.get(id));
  const change = useChangeMarks(({ cards }) => cards.get(id));
  // In a review, the card shows the changed and removed options.
  const changes = change === undefined || change.text === "" ? undefined : change.text;
  return (
    <div
      {...frame}
      data-failed={details?.error !== undefined || undefined}
      data-dimmed={details?.dimmed || undefined}
      data-dropped={details?.dropped || undefined}
      data-metrics={(details?.metrics !== undefined && problems === 0 && change === undefined) || undefined}
      data-change={change?.kind}
      data-held={breakpoint === "held" || undefined}
    >
      {kind === "trigger" ? null : (
        <span className="card__breakpoint" data-breakpoint={breakpoint ?? ""} title={strings.breakpoints.toggle} aria-hidden="true" />
      )}
      <StepIcon icon={icon} kind={kind} />
      <span className="card__text">
        <span className="card__title">{title}</span>
        <span className="visually-hidden">
          {label}
          {breakpoint === undefined ? "" : breakpoint === "held" ? strings.breakpoints.heldLabel : strings.breakpoints.label}
        </span>
        <span className="card__subtitle" title={changes ?? details?.error ?? subtitle}>
          {changes ?? (disabled ? text.disabled : (details?.error ?? (details?.dropped === true ? text.dropped : subtitle)))}
        </span>
      </span>
      {breakpoint === "held" ? (
        <span className="card__state card__state--fail">
          <CirclePause size={14} aria-hidden="true" />
          <span className="card__state-text">{strings.breakpoints.heldBadge}</span>
        </span>
      ) : change !== undefined ? (
        <ChangeBadge kind={change.kind} />
      ) : details?.metrics === undefined || problems > 0 ? (
        <CardState problems={problems} error={details?.error} count={details?.count} summary={details?.summary} />
      ) : (
        <Metrics {...details.metrics} />
      )}
    </div>
  );
}

/** The effect of a deployment on the step, as text. */
function ChangeBadge({ kind }: Pick<CardChange, "kind">) {
  return (
    <span className="card__state card__change" data-kind={kind}>
      {changeSigns[kind]} <span className="card__state-text">{strings.review.badges[kind]}</span>
    </span>
  );
}

/** The metrics of the deployed step. */
function Metrics({ rate, failed, p95, tooltip, seen }: CardMetrics) {
  return (
    <span className="card__metrics muted" title={tooltip}>
      {seen === undefined ? null : (
        <span className="card__seen" title={seen.tooltip}>
          {metricTexts.count(seen.count)}
        </span>
      )}
      <span>{rate}</span>
      {failed === 0 ? null : (
        <span className="card__state--fail card__failed">
          <CircleX size={14} aria-hidden="true" />
          {metricTexts.failed(failed)}
        </span>
      )}
      {p95 === undefined ? null : (
        <span className="card__duration" title={tooltip}>
          {metricTexts.p95(p95)}
        </span>
      )}
    </span>
  );
}

function CardState({
  problems,
  error,
  count,
  summary,
}: {
  readonly problems: number;
  readonly error: string | undefined;
  readonly count: number | undefined;
  readonly summary: string | undefined;
}) {
  if (problems > 0) {
    return (
      <span className="card__state card__state--fail">
        <CircleAlert size={14} aria-hidden="true" />
        <span className="card__state-text">{text.problems(problems)}</span>
      </span>
    );
  }
  if (error !== undefined) {
    return (
      <span className="card__state card__state--fail" title={error}>
        <CircleX size={14} aria-hidden="true" />
        <span className="card__state-text">{text.failed}</span>
      </span>
    );
  }
  if (count === undefined && summary === undefined) return null;
  return (
    <span className="card__state card__state--ok" title={summary}>
      <Check size={14} aria-hidden="true" />
      <span className="card__state-text">{count ?? summary}</span>
    </span>
  );
}
