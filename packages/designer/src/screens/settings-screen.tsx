import { Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { insertItem, removeItem, setOption, slug, type Edit } from "@sluice/model";
import { healthOf } from "../api-client/runtime-client.ts";
import { workspaceClient } from "../api-client/workspace-client.ts";
import { Button } from "../controls/button.tsx";
import { Field } from "../controls/field.tsx";
import { strings } from "../strings.ts";
import { applyTheme, storedTheme, type Theme } from "../theme/theme.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { useShell, useTitle } from "./page-context.tsx";
import "./settings-screen.css";

const words = strings.settings;
const themes: readonly Theme[] = ["system", "light", "dark"];

export function SettingsScreen() {
  useTitle(strings.pageTitle(words.title));
  return (
    <div className="screen settings">
      <h1 className="settings__title">{words.title}</h1>
      <TargetSettings />
      <CategorySettings />
      <Appearance />
    </div>
  );
}

function TargetSettings() {
  const { targets, setTargets } = useWorkspace();
  const [draft, setDraft] = useState({ name: "", baseUrl: "", tokenEnv: "" });
  const [error, setError] = useState<string | undefined>(undefined);
  /** True when it was taken. */
  const put = (next: readonly { name: string; baseUrl: string; tokenEnv: string }[]): Promise<boolean> =>
    workspaceClient.saveTargets(next.map(({ name, baseUrl, tokenEnv }) => ({ name, baseUrl, tokenEnv }))).then(
      (saved) => {
        setTargets(saved);
        setError(undefined);
        return true;
      },
      (reason: Error) => {
        setError(reason.message);
        return false;
      },
    );
  const { targetColumns: columns } = words;
  return (
    <section className="settings__section" aria-labelledby="settings-targets">
      <h2 id="settings-targets">{words.targets}</h2>
      <p className="muted">{words.targetsHint}</p>
      <div className="table-scroll" role="region" aria-label={words.targetList} tabIndex={0}>
        <table className="table table--stacks">
          <thead>
            <tr>
              <th scope="col">{columns.name}</th>
              <th scope="col">{columns.address}</th>
              <th scope="col">{columns.token}</th>
              <th scope="col">{columns.health}</th>
              <th scope="col">
                <span className="visually-hidden">{columns.action}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {targets.map((target) => (
              <tr key={target.name}>
                <td>{target.name}</td>
                <td className="mono" data-label={columns.address}>
                  {target.baseUrl}
                </td>
                <td className="mono" data-label={columns.token}>
                  {target.tokenEnv}
                </td>
                <td data-label={columns.health}>
                  <TargetHealth name={target.name} hasToken={target.hasToken} />
                </td>
                <td className="number">
                  <Button
                    look="quiet"
                    icon={<Trash2 size={16} aria-hidden="true" />}
                    aria-label={words.removeTarget(target.name)}
                    disabled={targets.length < 2}
                    onClick={() => void put(targets.filter(({ name }) => name !== target.name))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <form
        className="settings__add"
        onSubmit={(event) => {
          event.preventDefault();
          void put([...targets, draft]).then((taken) => {
            if (taken) setDraft({ name: "", baseUrl: "", tokenEnv: "" });
          });
        }}
      >
        <Field label={words.targetName}>
          {(control) => (
            <input
              {...control}
              className="input"
              placeholder="staging"
              required
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
        <Field label={words.targetAddress}>
          {(control) => (
            <input
              {...control}
              className="input input--mono"
              placeholder="https://runtime.example.com"
              required
              value={draft.baseUrl}
              onChange={(event) => setDraft({ ...draft, baseUrl: event.target.value })}
            />
          )}
        </Field>
        <Field label={words.targetToken}>
          {(control) => (
            <input
              {...control}
              className="input input--mono"
              placeholder="STAGING_DEPLOY_TOKEN"
              required
              value={draft.tokenEnv}
              onChange={(event) => setDraft({ ...draft, tokenEnv: event.target.value })}
            />
          )}
        </Field>
        <Button type="submit">{words.addTarget}</Button>
      </form>
      {error === undefined ? null : (
        <p className="problem-text" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}

function TargetHealth({ name, hasToken }: { readonly name: string; readonly hasToken: boolean }) {
  const [state, setState] = useState<{ readonly ok: boolean; readonly text: string } | undefined>(undefined);
  useEffect(() => {
    let current = true;
    healthOf(name).then(
      ({ engineVersion }) => current && setState({ ok: true, text: words.healthy(engineVersion) }),
      (error: Error) => current && setState({ ok: false, text: error.message }),
    );
    return () => {
      current = false;
    };
  }, [name]);
  if (!hasToken) return <span className="problem-text">{words.noToken}</span>;
  if (state === undefined) return <span className="muted">{words.checking}</span>;
  return state.ok ? <span className="chip chip--ok">{state.text}</span> : <span className="problem-text">{state.text}</span>;
}

function CategorySettings() {
  const { catalogue, setCatalogue } = useWorkspace();
  const [label, setLabel] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  if (catalogue === undefined) return null;
  const put = (edit: Edit): Promise<void> => {
    if (!edit.ok) {
      setError(edit.reason);
      return Promise.resolve();
    }
    return workspaceClient.saveCategories(edit.source, catalogue.hash).then(
      (saved) => {
        setCatalogue(saved);
        setError(undefined);
        setLabel("");
      },
      (reason: Error) => {
        setError(reason.message);
        void useWorkspace.getState().loadCatalogue();
      },
    );
  };
  const add = (): Promise<void> => {
    const id = slug(label, (taken) => catalogue.categories.some((category) => category.id === taken));
    return put(addedCategory(catalogue.text, catalogue.categories.length, id, label.trim()));
  };
  return (
    <section className="settings__section" aria-labelledby="categories">
      <h2 id="categories">{words.categories}</h2>
      <p className="muted">{words.categoriesHint}</p>
      {catalogue.error === undefined ? null : <p className="problem-text">{catalogue.error}</p>}
      <ul className="settings__categories">
        {catalogue.categories.map((category, index) => (
          <li key={category.id} className="chip">
            {category.label}
            <button
              type="button"
              className="chip__remove"
              aria-label={words.removeCategory(category.label)}
              onClick={() => void put(removeItem(catalogue.text, [], index))}
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
        <Field label={words.categoryLabel} error={error}>
          {(control) => <input {...control} className="input" required value={label} onChange={(event) => setLabel(event.target.value)} />}
        </Field>
        <Button type="submit">{words.addCategory}</Button>
      </form>
    </section>
  );
}

/** The catalogue with one more line; its label is set as a value of its own, so that any text is safe in it. */
function addedCategory(text: string, index: number, id: string, label: string): Edit {
  const inserted = insertItem(text, [], index, `id: ${id}`);
  return inserted.ok ? setOption(inserted.source, [index], "label", label) : inserted;
}

function Appearance() {
  const { openShortcuts } = useShell();
  const [theme, setTheme] = useState<Theme>(storedTheme());
  return (
    <section className="settings__section" aria-labelledby="settings-appearance">
      <h2 id="settings-appearance">{words.appearance}</h2>
      <div className="segments" role="group" aria-label={words.theme}>
        {themes.map((name) => (
          <Button
            key={name}
            aria-pressed={theme === name}
            onClick={() => {
              applyTheme(name);
              setTheme(name);
            }}
          >
            {words.themes[name]}
          </Button>
        ))}
      </div>
      <div>
        <Button onClick={openShortcuts}>{words.showShortcuts}</Button>
      </div>
    </section>
  );
}
