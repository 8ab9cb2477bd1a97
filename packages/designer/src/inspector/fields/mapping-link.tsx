import { Link } from "wouter";
import { useEditor } from "../../editor/editor-context.ts";
import { setCurrentSample } from "../../mappings/document-samples.ts";
import { strings } from "../../strings.ts";
import { bodyText } from "../../trial/message-text.ts";
import { useStepMessage } from "../../trial/step-message.tsx";

const pathSegments: Readonly<Record<string, string>> = { "message-mapping": "messages", "value-mapping": "values" };

/** Opens the mapping that an endpoint names, with the message of the step as its sample. */
export function MappingLink({ uri }: { readonly uri: string }) {
  const editor = useEditor();
  const { before } = useStepMessage();
  const [, scheme = "", id = ""] = /^([\w-]+):([\w.-]+)(?:\?|$)/.exec(uri) ?? [];
  const segment = pathSegments[scheme];
  if (segment === undefined) return null;
  return (
    <p>
      <Link
        href={`/mappings/${segment}/${encodeURIComponent(id)}?flow=${encodeURIComponent(editor.id)}`}
        onClick={() => before !== undefined && setCurrentSample(id, bodyText(before.body))}
      >
        {strings.inspector.openMapping(id)}
      </Link>
    </p>
  );
}
