import { docParts } from "./doc-parts.ts";

/** A description from a declaration; text between backticks is shown as code. */
export function DocText({ text }: { readonly text: string }) {
  return docParts(text).map(({ at, isCode, part }) => (isCode ? <code key={at}>{part}</code> : part));
}
