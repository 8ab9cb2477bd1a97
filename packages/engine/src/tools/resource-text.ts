// Text that a flow keeps in separate files: `resource:classpath:greeting.txt` instead of an expression.
import { CompileError, isCompileError } from "../spi/compiler.ts";
import type { Host } from "../spi/host.ts";

const resourcePattern = /^\s*resource:\s*(?:([a-zA-Z][\w+.-]+):)?(.*?)\s*$/s;

/** Whether a string refers to a file. */
const isResource = (text: string): boolean => /^\s*resource:/.test(text);

/**
 * Compiles a string, or the text of the file it names. The name is fixed when the flow is deployed: one that depends on the message is rejected, so that
 * a message cannot choose a file.
 */
export function compileResource<T>(text: string, host: Host, compile: (text: string, isLoaded: boolean) => T): T {
  if (!isResource(text)) return compile(text, false);
  const [, location = "classpath", name = ""] = resourcePattern.exec(text) as RegExpExecArray;
  if (location !== "file" && location !== "classpath")
    throw new CompileError("resource-refused", `text cannot be loaded from '${location}:'`, {
      hint: "use resource:file:name or resource:classpath:name",
      offset: 0,
    });
  if (/[$#]\{/.test(name))
    throw new CompileError("resource-refused", `the file name '${name}' must not depend on the message`, {
      hint: "write the name of the file without ${…}",
      offset: 0,
    });
  if (host.resources === undefined) throw new CompileError("resource-refused", "this runtime cannot load text from files", { offset: 0 });
  const { file, text: content } = host.resources.read(location, name);
  try {
    return compile(content, true);
  } catch (error) {
    if (!isCompileError(error)) throw error;
    // The offset is in the file, not in the flow.
    const { code, message, hint, unloaded, offset } = error;
    const line = offset === undefined ? "" : `:${content.slice(0, offset).split("\n").length}`;
    throw new CompileError(code, `in the file ${file}${line}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      ...(unloaded === undefined ? {} : { unloaded }),
    });
  }
}
