// The icons named in the catalog, from one icon library. Unknown names get the icon of their kind.
import {
  AlarmClock,
  Archive,
  ArrowDownAZ,
  ArrowLeftRight,
  ArrowRight,
  ArrowRightLeft,
  ArrowUpNarrowWide,
  BadgeCheck,
  Bell,
  BookCheck,
  BookOpen,
  Bookmark,
  Braces,
  Cable,
  CalendarClock,
  CirclePlus,
  Clock,
  Code,
  Combine,
  Compass,
  CornerDownRight,
  Database,
  Download,
  FileInput,
  FileOutput,
  Filter,
  Fingerprint,
  FlaskConical,
  Folder,
  Gauge,
  GitBranch,
  Globe,
  Group,
  Inbox,
  Layers,
  ListEnd,
  ListOrdered,
  Network,
  Octagon,
  Percent,
  Play,
  Plug,
  Puzzle,
  Repeat,
  Replace,
  ReplaceAll,
  Route,
  Scale,
  Scroll,
  ScrollText,
  Shield,
  ShieldAlert,
  ShieldCheck,
  Shuffle,
  Split,
  SquareFunction,
  SquarePen,
  Tag,
  Tags,
  Terminal,
  Ticket,
  ToggleRight,
  TriangleAlert,
  Undo,
  Users,
  Variable,
  Webhook,
  ZapOff,
  type LucideIcon,
} from "lucide-react";
import { memo } from "react";
import type { StepKind } from "../catalog/flow-catalog.ts";

const icons: Readonly<Record<string, LucideIcon>> = {
  "alarm-clock": AlarmClock,
  archive: Archive,
  "arrow-down-a-z": ArrowDownAZ,
  "arrow-left-right": ArrowLeftRight,
  "arrow-right": ArrowRight,
  "arrow-right-left": ArrowRightLeft,
  "arrow-up-narrow-wide": ArrowUpNarrowWide,
  "badge-check": BadgeCheck,
  bell: Bell,
  "book-check": BookCheck,
  "book-open": BookOpen,
  bookmark: Bookmark,
  braces: Braces,
  cable: Cable,
  "calendar-clock": CalendarClock,
  "circle-plus": CirclePlus,
  clock: Clock,
  code: Code,
  combine: Combine,
  compass: Compass,
  "corner-down-right": CornerDownRight,
  database: Database,
  download: Download,
  "file-input": FileInput,
  "file-output": FileOutput,
  filter: Filter,
  fingerprint: Fingerprint,
  "flask-conical": FlaskConical,
  folder: Folder,
  "function-square": SquareFunction,
  gauge: Gauge,
  "git-branch": GitBranch,
  globe: Globe,
  group: Group,
  http: Globe,
  inbox: Inbox,
  layers: Layers,
  "list-end": ListEnd,
  "list-ordered": ListOrdered,
  network: Network,
  octagon: Octagon,
  percent: Percent,
  plug: Plug,
  puzzle: Puzzle,
  queue: ListEnd,
  repeat: Repeat,
  replace: Replace,
  "replace-all": ReplaceAll,
  route: Route,
  scale: Scale,
  scroll: Scroll,
  "scroll-text": ScrollText,
  shield: Shield,
  "shield-check": ShieldCheck,
  shuffle: Shuffle,
  split: Split,
  "square-pen": SquarePen,
  tag: Tag,
  tags: Tags,
  terminal: Terminal,
  ticket: Ticket,
  "toggle-right": ToggleRight,
  "triangle-alert": TriangleAlert,
  undo: Undo,
  users: Users,
  variable: Variable,
  webhook: Webhook,
  "zap-off": ZapOff,
};

const kindIcons: Readonly<Record<StepKind, LucideIcon>> = {
  trigger: Play,
  endpoint: ArrowRight,
  transform: Shuffle,
  routing: GitBranch,
  script: SquareFunction,
  error: ShieldAlert,
  other: Puzzle,
};

/** The id of an icon in the sprite sheet. */
const nameOf = (icon: string | undefined, kind: StepKind): string => (icon !== undefined && icons[icon] !== undefined ? icon : kind);

/** The sprite sheet: hundreds of cards reference icons instead of repeating their paths. */
export const IconSheet = memo(function IconSheet() {
  return (
    <svg className="icon-sheet" aria-hidden="true">
      {Object.entries({ ...kindIcons, ...icons }).map(([name, Icon]) => (
        <symbol key={name} id={`icon-${name}`} viewBox="0 0 24 24">
          <Icon />
        </symbol>
      ))}
    </svg>
  );
});

/** An icon from the sprite sheet. */
export function StepIcon({ icon, kind }: { readonly icon: string | undefined; readonly kind: StepKind }) {
  return (
    <svg className="step-icon" data-kind={kind} aria-hidden="true">
      <use href={`#icon-${nameOf(icon, kind)}`} />
    </svg>
  );
}
