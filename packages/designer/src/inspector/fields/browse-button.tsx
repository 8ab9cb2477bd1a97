import { List } from "lucide-react";
import { useState } from "react";
import type { OptionView } from "@sluice/model";
import { browsedConnection, type WrittenEndpoint } from "../../connections/browsed-connection.ts";
import { NamePicker } from "../../connections/name-picker.tsx";
import { useConnections } from "../../connections/use-connections.ts";
import { connectionStrings } from "../../strings/connections.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";
import { useEndpoint } from "../endpoint-context.ts";
import { useForm } from "../form-scope.ts";
import { optionLabel } from "./option-label.ts";

const text = connectionStrings.browse;

export interface BrowseButtonProps {
  readonly option: OptionView;
  readonly onChoose: (name: string) => void;
}

/** Opens a list of names on the server for an option that declares `browse`; nothing for other options. */
export function BrowseButton({ option, onChoose }: BrowseButtonProps) {
  const endpoint = useEndpoint();
  return option.browse === undefined || endpoint === undefined ? null : (
    <EndpointBrowseButton option={option} what={option.browse.what} endpoint={endpoint} onChoose={onChoose} />
  );
}

interface EndpointProps extends BrowseButtonProps {
  readonly what: string;
  readonly endpoint: WrittenEndpoint;
}

function EndpointBrowseButton({ option, what, endpoint, onChoose }: EndpointProps) {
  const { catalog } = useForm();
  const target = useWorkspace((state) => state.target);
  const [polled] = useConnections();
  const [isOpen, setOpen] = useState(false);
  const connections = polled !== undefined && "value" in polled ? polled.value : [];
  const connection = browsedConnection(endpoint, option, connections, catalog.view.connections);
  if (connection === undefined) return null;
  const label = text.choose(what, optionLabel(option));
  return (
    <>
      <button type="button" className="icon-button" aria-label={label} title={label} onClick={() => setOpen(true)}>
        <List size={14} aria-hidden="true" />
      </button>
      {isOpen ? (
        <NamePicker
          query={{ target, connection: connection.id, what }}
          onClose={() => setOpen(false)}
          onChoose={(name) => {
            setOpen(false);
            onChoose(name);
          }}
        />
      ) : null}
    </>
  );
}
