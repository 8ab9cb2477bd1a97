import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { errorAt, listAt, type Policy, type SchemeType } from "../../access/policy-edits.ts";
import { valueAt, withValue, type Path } from "../../controls/json-path.ts";
import { Button } from "../../controls/button.tsx";
import { Field } from "../../controls/field.tsx";
import { accessStrings as labels } from "../../strings/access.ts";
import { ListField, NumberField, SecretField, SelectField, TextField, usePolicyForm } from "./policy-fields.tsx";

/** The fields of one authentication scheme. */
export function SchemeFields({ type, path }: { readonly type: SchemeType; readonly path: Path }) {
  switch (type) {
    case "apiKey":
      return <ApiKeyFields path={path} />;
    case "basic":
      return <BasicFields path={path} />;
    case "jwt":
      return <JwtFields path={path} />;
    case "hmac":
      return <HmacFields path={path} />;
  }
}

function ApiKeyFields({ path }: { readonly path: Path }) {
  const { apiKey } = labels;
  return (
    <>
      <div className="policy__fields">
        <SelectField path={[...path, "in"]} label={apiKey.in} choices={apiKey.places} absent="header" />
        <TextField path={[...path, "name"]} label={apiKey.name} placeholder="X-API-Key" />
      </div>
      <Items path={[...path, "keys"]} title={apiKey.key} add={apiKey.addKey} newItem={{ id: "", key: "" }}>
        {(item) => (
          <>
            <TextField path={[...item, "id"]} label={apiKey.id} />
            <SecretField path={[...item, "key"]} label={apiKey.secret} />
            <ListField path={[...item, "roles"]} label={labels.roles} />
            <TextField path={[...item, "expiresAt"]} label={apiKey.expiresAt} hint={apiKey.expiresHint} />
          </>
        )}
      </Items>
    </>
  );
}

function BasicFields({ path }: { readonly path: Path }) {
  const { basic } = labels;
  return (
    <Items path={[...path, "users"]} title={basic.user} add={basic.addUser} newItem={{ username: "", password: "" }}>
      {(item) => (
        <>
          <TextField path={[...item, "username"]} label={basic.username} />
          <SecretField path={[...item, "password"]} label={basic.password} />
          <ListField path={[...item, "roles"]} label={labels.roles} />
        </>
      )}
    </Items>
  );
}

function JwtFields({ path }: { readonly path: Path }) {
  const { jwt } = labels;
  return (
    <div className="policy__fields">
      <TextField path={[...path, "jwksUri"]} label={jwt.jwksUri} placeholder="https://idp.example.com/jwks" />
      <ListField path={[...path, "issuer"]} label={jwt.issuer} singleAsText />
      <ListField path={[...path, "audience"]} label={jwt.audience} singleAsText />
      <ListField path={[...path, "algorithms"]} label={jwt.algorithms} placeholder="RS256, ES256" />
      <TextField path={[...path, "rolesClaim"]} label={jwt.rolesClaim} placeholder="roles" />
      <NumberField path={[...path, "clockSkewSec"]} label={jwt.clockSkewSec} />
    </div>
  );
}

const customFields = ["header", "algorithm", "encoding", "prefix", "template", "timestampHeader"] as const;

function HmacFields({ path }: { readonly path: Path }) {
  const { policy, set, errors } = usePolicyForm();
  const { hmac } = labels;
  const preset = valueAt(policy, [...path, "preset"]);
  /** A preset determines the details, so they are removed when it is selected. */
  const choose = (next: string): void => {
    const scheme = valueAt(policy, path) as Policy;
    const base = Object.fromEntries(Object.entries(scheme).filter(([name]) => name !== "preset" && !(customFields as readonly string[]).includes(name)));
    set(path, next === "" ? base : withValue(base, ["preset"], next));
  };
  return (
    <>
      <div className="policy__fields">
        <Field label={hmac.preset} error={errorAt(errors, [...path, "preset"])}>
          {(control) => (
            <select {...control} className="input" value={String(preset ?? "")} onChange={(event) => choose(event.target.value)}>
              {Object.entries({ ...hmac.presets, "": hmac.custom }).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <TextField path={[...path, "id"]} label={hmac.id} />
        <ListField path={[...path, "roles"]} label={labels.roles} />
        <NumberField path={[...path, "toleranceSec"]} label={hmac.toleranceSec} />
        {preset === undefined ? (
          <>
            <TextField path={[...path, "header"]} label={hmac.header} placeholder="X-Signature" />
            <SelectField
              path={[...path, "algorithm"]}
              label={hmac.algorithm}
              choices={{ "": labels.defaultChoice, sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" }}
            />
            <SelectField
              path={[...path, "encoding"]}
              label={hmac.encoding}
              choices={{ "": labels.defaultChoice, hex: "hex", base64: "base64", base64url: "base64url" }}
            />
            <TextField path={[...path, "prefix"]} label={hmac.prefix} placeholder="sha256=" />
            <TextField path={[...path, "template"]} label={hmac.template} hint={hmac.templateHint} placeholder="{body}" />
            <TextField path={[...path, "timestampHeader"]} label={hmac.timestampHeader} />
          </>
        ) : null}
      </div>
      <Items path={[...path, "secrets"]} title={hmac.secret} add={hmac.addSecret} newItem="">
        {(item, number) => <SecretField path={item} label={hmac.secret(number)} />}
      </Items>
      <p className="field__hint">{hmac.secretsHint}</p>
    </>
  );
}

interface ItemsProps {
  readonly path: Path;
  readonly title: (number: number) => string;
  readonly add: string;
  readonly newItem: unknown;
  readonly children: (item: Path, number: number) => ReactNode;
}

/** A list of identical groups of fields. */
function Items({ path, title, add, newItem, children }: ItemsProps) {
  const { policy, errors, set } = usePolicyForm();
  const items = listAt(policy, path);
  const error = errors.fields.size === 0 ? undefined : errorAt(errors, path);
  return (
    <>
      {items.map((_, index) => (
        <fieldset key={`${items.length} ${index}`} className="policy__item">
          <legend>{title(index + 1)}</legend>
          <div className="policy__fields">{children([...path, index], index + 1)}</div>
          <Button
            variant="quiet"
            icon={<Trash2 size={16} aria-hidden="true" />}
            aria-label={labels.removeScheme(title(index + 1))}
            onClick={() => set(path, items.toSpliced(index, 1))}
          />
        </fieldset>
      ))}
      {items.length === 0 && error !== undefined ? <p className="field__error">{error}</p> : null}
      <div>
        <Button icon={<Plus size={16} aria-hidden="true" />} onClick={() => set(path, [...items, newItem])}>
          {add}
        </Button>
      </div>
    </>
  );
}
