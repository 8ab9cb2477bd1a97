// The tabs of the inspector.
import { lazy, type ComponentType } from "react";
import { strings } from "../strings.ts";
import { DocsTab } from "./docs-tab.tsx";
import { PropertiesTab, type PropertiesTabProps } from "./properties-tab.tsx";
import { MessageTab } from "../trial/message-tab.tsx";
import { YamlTab } from "./yaml-tab.tsx";

export interface InspectorTab {
  readonly id: string;
  readonly title: string;
  readonly content: ComponentType<PropertiesTabProps>;
  /** Shown only in narrow windows, which have no room for the panel beside the inspector. */
  readonly isNarrowOnly?: boolean;
}

const text = strings.inspector;

const DataTab = lazy(() => import("../data-panel/data-content.tsx").then((module) => ({ default: module.DataContent })));

const allTabs: readonly InspectorTab[] = [
  { id: "properties", title: text.properties, content: PropertiesTab },
  { id: "data", title: strings.data.title, content: DataTab, isNarrowOnly: true },
  { id: "message", title: strings.trial.message, content: MessageTab },
  { id: "yaml", title: text.yamlTab, content: YamlTab },
  { id: "docs", title: text.docs, content: DocsTab },
];

const wideTabs = allTabs.filter(({ isNarrowOnly }) => isNarrowOnly !== true);

export const inspectorTabs = (isNarrow: boolean): readonly InspectorTab[] => (isNarrow ? allTabs : wideTabs);
