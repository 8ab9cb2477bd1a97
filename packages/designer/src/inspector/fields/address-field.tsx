// An endpoint: the connector, the URI, and the connector's options, written after `?` or as `parameters`.
import { useId, useRef } from "react";
import { setAt, type ConnectorView, type Edit, type OptionView, treeAt } from "@sluice/model";
import { starterUri } from "../../catalog/starter-yaml.ts";
import { withName, withPath, type WrittenEndpoint } from "../../connections/browsed-connection.ts";
import { strings } from "../../strings.ts";
import { connectionBeans } from "../connection-beans.ts";
import { EndpointContext } from "../endpoint-context.ts";
import { problemAt, FormContext, nestedScope, textAt, useForm, valueAt, writeText, type FieldProps, type FormScope } from "../form-scope.ts";
import { asMap, textOf } from "../tree-values.ts";
import { useFormWriter } from "../use-form-writer.ts";
import { BrowseButton } from "./browse-button.tsx";
import { MappingLink } from "./mapping-link.tsx";
import { NamesButton } from "./names-button.tsx";
import { OptionFrame } from "./option-frame.tsx";
import { optionLabel } from "./option-label.ts";
import { OptionList } from "./option-list.tsx";
import { ParametersField } from "./parameters-field.tsx";
import { QueryOptions } from "./query-options.tsx";
import { TypedInput } from "./typed-input.tsx";

const labels = strings.inspector;

export function AddressField({ option, options }: FieldProps) {
  const scope = useForm();
  const writer = useFormWriter();
  const id = useId();
  const uri = textAt(scope, option.name) ?? "";
  const connector = scope.catalog.connector(uri);
  const connectors = scope.catalog.connectorsWith(scope.role);
  const parameters = options.find(({ kind }) => kind === "parameters");
  const label = option.name === "uri" ? labels.address : optionLabel(option);
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const endpoint = connector === undefined ? undefined : writtenEndpoint(scope, connector, uri, parameters);
  const path = uri.includes(":") ? solePath(connector) : undefined;
  const choose = (name: string): boolean => {
    const text = path?.browse?.within === true ? withName(uri, input.current?.selectionStart ?? 0, name) : withPath(uri, name);
    return writer.write(labels.changed(label), writeText(scope, option.name, text));
  };
  return (
    <EndpointContext.Provider value={endpoint}>
      {option.name !== "uri" ? null : (
        <div className="field">
          <label className="field__label" htmlFor={`${id}-connector`}>
            {labels.connector}
          </label>
          <select
            id={`${id}-connector`}
            className="input"
            value={connector?.scheme ?? ""}
            onChange={(event) => {
              const selected = connectors.find(({ scheme }) => scheme === event.target.value);
              if (selected !== undefined) writer.write(labels.changed(labels.connector), writeText(scope, option.name, starterUri(selected)));
            }}
          >
            {connector === undefined ? <option value="">{labels.otherConnector}</option> : null}
            {connector !== undefined && !connectors.includes(connector) ? <option value={connector.scheme}>{connector.title}</option> : null}
            {connectors.map(({ scheme, title }) => (
              <option key={scheme} value={scheme}>
                {title} ({scheme})
              </option>
            ))}
          </select>
          {connector === undefined ? null : <div className="field__hint">{connector.summary}</div>}
        </div>
      )}
      <OptionFrame
        option={{ ...option, title: label, doc: connector === undefined ? option.doc : `${option.doc} ${labels.addressHint(connector.syntax)}.` }}
        isSet={uri !== ""}
        error={problemAt(scope, valueAt(scope, option.name))}
        extra={
          path === undefined ? null : (
            <>
              <BrowseButton option={path} onChoose={choose} />
              <NamesButton option={path} label={label} onChoose={choose} />
            </>
          )
        }
      >
        {(control) => (
          <TypedInput
            element={input}
            control={control}
            name={option.name}
            label={label}
            value={uri}
            mono
            lines={2}
            write={(text) => writeText(scope, option.name, text.replaceAll("\n", ""))}
          />
        )}
      </OptionFrame>
      <MappingLink uri={uri} />
      {option.name === "uri" && parameters !== undefined ? <ConnectorOptions connector={connector} uri={uri} parameters={parameters} /> : null}
    </EndpointContext.Provider>
  );
}

/** The option of a path with a single part, so that the whole path can be replaced in the URI. */
const solePath = (connector: ConnectorView | undefined): OptionView | undefined => (connector?.path.length === 1 ? connector.path[0] : undefined);

function writtenEndpoint(scope: FormScope, connector: ConnectorView, uri: string, parameters: OptionView | undefined): WrittenEndpoint {
  const written = parameters === undefined ? [] : (asMap(treeAt(scope.tree, nestedScope(scope, parameters.name).path))?.entries ?? []);
  const [path = ""] = uri.slice(uri.indexOf(":") + 1).split("?");
  // Every path part gets the whole path, because only the presence of an address matters here.
  const inPath = uri.includes(":") && path !== "" ? connector.path.map(({ name }) => [name, path] as const) : [];
  const option = [...connector.path, ...connector.options].find(({ connection }) => connection !== undefined);
  return {
    connector,
    values: new Map([...inPath, ...queryOf(uri), ...written.map(({ key, value }) => [key, textOf(value) ?? ""] as const)]),
    beans: option === undefined ? [] : connectionBeans(scope.tree, option, scope.catalog),
  };
}

function ConnectorOptions({
  connector,
  uri,
  parameters,
}: {
  readonly connector: ConnectorView | undefined;
  readonly uri: string;
  readonly parameters: OptionView;
}) {
  const scope = useForm();
  const nested = nestedScope(scope, parameters.name);
  const written = asMap(treeAt(scope.tree, nested.path))?.entries.map(({ key }) => key) ?? [];
  if (connector === undefined) {
    return (
      <FormContext.Provider value={nested}>
        <ParametersField declared={new Set()} />
      </FormContext.Provider>
    );
  }
  const query = queryOf(uri);
  const inQuery = new Set(query.map(([name]) => name));
  // Path parts are options too when the URI is only the scheme.
  const path = uri.includes(":") ? [] : connector.path;
  const all = [...path, ...connector.options].filter(({ name }) => !inQuery.has(name));
  const declared = new Set([...connector.path, ...connector.options].map(({ name }) => name));
  const hasOther = connector.lenient || written.some((name) => !declared.has(name));
  return (
    <fieldset className="section">
      <legend>{labels.connectorOptions(connector.title)}</legend>
      <QueryOptions
        options={connector.options}
        query={query}
        write={(next) =>
          (source: string): Edit =>
            setUri(scope, next, uri)(source)
          }
      />
      <FormContext.Provider value={nested}>
        <OptionList options={all} />
        {hasOther ? <ParametersField declared={declared} /> : null}
      </FormContext.Provider>
    </fieldset>
  );
}

/** The options after `?`, as written. */
function queryOf(uri: string): readonly (readonly [string, string])[] {
  const queryStart = uri.indexOf("?");
  if (queryStart === -1) return [];
  return uri
    .slice(queryStart + 1)
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const equalsAt = part.indexOf("=");
      return equalsAt === -1 ? [part, ""] : [part.slice(0, equalsAt), part.slice(equalsAt + 1)];
    });
}

const setUri =
  (scope: FormScope, query: readonly (readonly [string, string])[], uri: string) =>
  (source: string): Edit => {
    const base = uri.split("?")[0] as string;
    const text = query.length === 0 ? base : `${base}?${query.map(([name, value]) => `${name}=${value}`).join("&")}`;
    const owner = treeAt(scope.tree, scope.path);
    return setAt(source, owner?.type === "scalar" ? scope.path : [...scope.path, "uri"], text, scope.shorthands);
  };
