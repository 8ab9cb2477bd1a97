import { CST, Lexer } from "yaml";

/** Whether YAML text has a comment; a `#` within a string is not one. */
export function hasComments(text: string): boolean {
  let previous: string | undefined;
  for (const token of new Lexer().lex(text)) {
    // A scalar follows its marker, and the text of a block scalar can start with '#'.
    if (previous !== CST.SCALAR && CST.tokenType(token) === "comment") return true;
    previous = token;
  }
  return false;
}
