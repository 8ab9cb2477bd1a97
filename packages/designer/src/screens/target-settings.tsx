import { ApiError } from "@sluice/client";
import { Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { healthOf } from "../api-client/runtime-client.ts";
import { workspaceClient, type TargetEntry, type TargetsBody } from "../api-client/workspace-client.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { Field } from "../controls/field.tsx";
import { DataTable, hiddenHeading } from "../controls/data-table.tsx";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";

const text = strings.settings;
const emptyDraft = { name: "", baseUrl: "", tokenEnv: "" };
type Draft = typeof emptyDraft;

/** A list of targets that the server saves only after the user has confirmed where tokens are sent. */
interface Unconfirmed {
  readonly targets: TargetsBody["targets"];
  readonly addresses: readonly { readonly address: string; readonly tokenEnv: string }[];
  readonly needsPassword: boolean;
  readonly error: string | undefined;
}

export function TargetSettings() {
  const { targets, setTargets } = useWorkspace();
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [error, setError] = useState<string | undefined>(undefined);
  const [unconfirmed, setUnconfirmed] = useState<Unconfirmed | undefined>(undefined);
  const save = async (body: TargetsBody): Promise<void> => {
    try {
      setTargets(await workspaceClient.saveTargets(body));
      setUnconfirmed(undefined);
      setError(undefined);
      if (body.targets.some(({ name }) => name === draft.name)) setDraft(emptyDraft);
    } catch (reason) {
      const next = unconfirmedOf(reason, body);
      setUnconfirmed(next);
      setError(next === undefined ? (reason as Error).message : undefined);
    }
  };
  return (
    <section className="settings__section" aria-labelledby="settings-targets">
      <h2 id="settings-targets">{text.targets}</h2>
      <p className="muted">{text.targetsHint}</p>
      <TargetTable targets={targets} onRemove={(removed) => void save({ targets: toBody(targets.filter(({ name }) => name !== removed)) })} />
      {targets.length === 0 ? null : (
        <p>
          <Link href="/api-reference">{text.apiReference}</Link>
        </p>
      )}
      <AddTarget draft={draft} onChange={setDraft} onSubmit={() => void save({ targets: [...toBody(targets), draft] })} />
      {error === undefined ? null : (
        <p className="problem-text" role="alert">
          {error}
        </p>
      )}
      {unconfirmed === undefined ? null : (
        <ConfirmAddresses
          unconfirmed={unconfirmed}
          onClose={() => setUnconfirmed(undefined)}
          onConfirm={(password) =>
            void save({
              targets: unconfirmed.targets,
              confirmed: unconfirmed.addresses.map(({ address }) => address),
              ...(password === "" ? {} : { password }),
            })
          }
        />
      )}
    </section>
  );
}

const toBody = (targets: readonly TargetEntry[]): TargetsBody["targets"] => targets.map(({ name, baseUrl, tokenEnv }) => ({ name, baseUrl, tokenEnv }));

/** The confirmation that the server requires; undefined when it rejected the list for another reason. */
function unconfirmedOf(reason: unknown, { targets, password, confirmed }: TargetsBody): Unconfirmed | undefined {
  if (!(reason instanceof ApiError) || !Array.isArray(reason.detail["confirm"])) return undefined;
  const needsPassword = reason.detail["needs"] === "password";
  const requested = reason.detail["confirm"] as Unconfirmed["addresses"];
  const isAt = (baseUrl: string, address: string): boolean => baseUrl === address || baseUrl.startsWith(`${address}/`);
  const earlier = (confirmed ?? []).map((address) => ({ address, tokenEnv: targets.find(({ baseUrl }) => isAt(baseUrl, address))?.tokenEnv ?? "" }));
  return { targets, addresses: [...earlier, ...requested], needsPassword, error: needsPassword && password !== undefined ? reason.message : undefined };
}

function TargetTable({ targets, onRemove }: { readonly targets: readonly TargetEntry[]; readonly onRemove: (name: string) => void }) {
  const { targetColumns: columns } = text;
  return (
    <DataTable label={text.targetList} headings={[columns.name, columns.address, columns.token, columns.health, hiddenHeading(columns.action)]} stacks>
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
              variant="quiet"
              icon={<Trash2 size={16} aria-hidden="true" />}
              aria-label={text.removeTarget(target.name)}
              disabled={targets.length < 2}
              onClick={() => onRemove(target.name)}
            />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

interface AddTargetProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onSubmit: () => void;
}

function AddTarget({ draft, onChange, onSubmit }: AddTargetProps) {
  const fields = [
    { key: "name", label: text.targetName, placeholder: "staging" },
    { key: "baseUrl", label: text.targetAddress, placeholder: "https://runtime.example.com" },
    { key: "tokenEnv", label: text.targetToken, placeholder: "SLUICE_STAGING_TOKEN" },
  ] as const;
  return (
    <form
      className="settings__add"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {fields.map(({ key, label, placeholder }) => (
        <Field key={key} label={label}>
          {(control) => (
            <input
              {...control}
              className={key === "name" ? "input" : "input input--mono"}
              placeholder={placeholder}
              required
              value={draft[key]}
              onChange={(event) => onChange({ ...draft, [key]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <Button type="submit">{text.addTarget}</Button>
    </form>
  );
}

interface ConfirmProps {
  readonly unconfirmed: Unconfirmed;
  readonly onClose: () => void;
  readonly onConfirm: (password: string) => void;
}

function ConfirmAddresses({ unconfirmed: { addresses, needsPassword, error }, onClose, onConfirm }: ConfirmProps) {
  const [password, setPassword] = useState("");
  return (
    <Dialog
      title={text.confirmTarget}
      onClose={onClose}
      onSubmit={() => onConfirm(password)}
      actions={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary">
            {text.confirmSubmit}
          </Button>
        </>
      }
    >
      {addresses.map(({ address, tokenEnv }) => (
        <p key={`${tokenEnv} ${address}`}>{text.confirmAddress(tokenEnv, address)}</p>
      ))}
      {needsPassword ? (
        <Field label={text.confirmPassword} error={error}>
          {(control) => (
            <input
              {...control}
              className="input"
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
      ) : null}
    </Dialog>
  );
}

function TargetHealth({ name, hasToken }: { readonly name: string; readonly hasToken: boolean }) {
  const [state, setState] = useState<{ readonly ok: boolean; readonly text: string } | undefined>(undefined);
  useEffect(() => {
    let current = true;
    healthOf(name).then(
      ({ engineVersion }) => current && setState({ ok: true, text: text.healthy(engineVersion) }),
      (error: Error) => current && setState({ ok: false, text: error.message }),
    );
    return () => {
      current = false;
    };
  }, [name]);
  if (!hasToken) return <span className="problem-text">{text.noToken}</span>;
  if (state === undefined) return <span className="muted">{text.checking}</span>;
  return state.ok ? <span className="chip chip--ok">{state.text}</span> : <span className="problem-text">{state.text}</span>;
}
