import { useState } from "react";
import { insertItem, removeItem, setOption, slug, type Edit } from "@sluice/model";
import { workspaceClient } from "../api-client/workspace-client.ts";
import { Button } from "../controls/button.tsx";
import { Field } from "../controls/field.tsx";
import { strings } from "../strings.ts";
import { applyTheme, storedTheme, type Theme } from "../theme/theme.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { useShell, useTitle } from "./shell-context.tsx";
import { TargetSettings } from "./target-settings.tsx";
import "./settings-screen.css";

const labels = strings.settings;
const themes: readonly Theme[] = ["system", "light", "dark"];

export function SettingsScreen() {
  useTitle(strings.pageTitle(labels.title));
  return (
    <div className="screen settings">
      <h1 className="settings__title">{labels.title}</h1>
      <TargetSettings />
      <CategorySettings />
      <Appearance />
    </div>
  );
}

function CategorySettings() {
  const { categoryFile, setCategoryFile } = useWorkspace();
  const [label, setLabel] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  if (categoryFile === undefined) return null;
  const save = (edit: Edit): Promise<void> => {
    if (!edit.ok) {
      setError(edit.reason);
      return Promise.resolve();
    }
    return workspaceClient.saveCategories(edit.source, categoryFile.hash).then(
      (saved) => {
        setCategoryFile(saved);
        setError(undefined);
        setLabel("");
      },
      (reason: Error) => {
        setError(reason.message);
        void useWorkspace.getState().loadCategories();
      },
    );
  };
  const add = (): Promise<void> => {
    const id = slug(label, (candidate) => categoryFile.categories.some((category) => category.id === candidate));
    return save(addCategory(categoryFile.text, categoryFile.categories.length, id, label.trim()));
  };
  return (
    <section className="settings__section" aria-labelledby="categories">
      <h2 id="categories">{labels.categories}</h2>
      <p className="muted">{labels.categoriesHint}</p>
      {categoryFile.error === undefined ? null : <p className="problem-text">{categoryFile.error}</p>}
      <ul className="settings__categories">
        {categoryFile.categories.map((category, index) => (
          <li key={category.id} className="chip">
            {category.label}
            <button
              type="button"
              className="chip__remove"
              aria-label={labels.removeCategory(category.label)}
              onClick={() => void save(removeItem(categoryFile.text, [], index))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        className="settings__add"
        onSubmit={(event) => {
          event.preventDefault();
          if (label.trim() !== "") void add();
        }}
      >
        <Field label={labels.categoryLabel} error={error}>
          {(control) => <input {...control} className="input" required value={label} onChange={(event) => setLabel(event.target.value)} />}
        </Field>
        <Button type="submit">{labels.addCategory}</Button>
      </form>
    </section>
  );
}

/** Adds a category; its label is set as a value, so that any text is escaped correctly. */
function addCategory(text: string, index: number, id: string, label: string): Edit {
  const inserted = insertItem(text, [], index, `id: ${id}`);
  return inserted.ok ? setOption(inserted.source, [index], "label", label) : inserted;
}

function Appearance() {
  const { openShortcuts } = useShell();
  const [theme, setTheme] = useState<Theme>(storedTheme());
  return (
    <section className="settings__section" aria-labelledby="settings-appearance">
      <h2 id="settings-appearance">{labels.appearance}</h2>
      <div className="segments" role="group" aria-label={labels.theme}>
        {themes.map((name) => (
          <Button
            key={name}
            aria-pressed={theme === name}
            onClick={() => {
              applyTheme(name);
              setTheme(name);
            }}
          >
            {labels.themes[name]}
          </Button>
        ))}
      </div>
      <div>
        <Button onClick={openShortcuts}>{labels.showShortcuts}</Button>
      </div>
    </section>
  );
}
