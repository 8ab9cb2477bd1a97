import { Activity, FlaskConical, MailWarning, Network, Plug, ScrollText, Settings, ShieldCheck, Table2, Workflow, type LucideIcon } from "lucide-react";
import { strings } from "../strings.ts";

export interface NavigationEntry {
  readonly path: string;
  readonly title: string;
  readonly icon: LucideIcon;
  /** Shown only while the target belongs to a cluster. */
  readonly needsCluster?: boolean;
}

/** The screens of the main navigation, in order. */
export const navigation: readonly NavigationEntry[] = [
  { path: "/flows", title: strings.navigation.flows, icon: Workflow },
  { path: "/runs", title: strings.navigation.runs, icon: Activity },
  { path: "/tests", title: strings.navigation.tests, icon: FlaskConical },
  { path: "/dead-letters", title: strings.navigation.deadLetters, icon: MailWarning },
  { path: "/mappings", title: strings.navigation.mappings, icon: Table2 },
  { path: "/connections", title: strings.navigation.connections, icon: Plug },
  { path: "/nodes", title: strings.navigation.nodes, icon: Network, needsCluster: true },
  { path: "/access", title: strings.navigation.access, icon: ShieldCheck },
  { path: "/logs", title: strings.navigation.logs, icon: ScrollText },
  { path: "/settings", title: strings.navigation.settings, icon: Settings },
];
