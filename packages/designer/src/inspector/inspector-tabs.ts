// The tabs of the inspector: one component and one line per tab.
import type { ComponentType } from "react";
import { strings } from "../strings.ts";
import { DocsTab } from "./docs-tab.tsx";
import { PropertiesTab, type PropertiesTabProps } from "./properties-tab.tsx";
import { MessageTab } from "../trial/message-tab.tsx";
import { YamlTab } from "./yaml-tab.tsx";

export interface InspectorTab {
  readonly id: string;
  readonly title: string;
  readonly content: ComponentType<PropertiesTabProps>;
}

const words = strings.inspector;

export const inspectorTabs: readonly InspectorTab[] = [
  { id: "properties", title: words.properties, content: PropertiesTab },
  { id: "message", title: strings.trial.message, content: MessageTab },
  { id: "yaml", title: words.yamlTab, content: YamlTab },
  { id: "docs", title: words.docs, content: DocsTab },
];
