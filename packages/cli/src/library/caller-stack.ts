/** Compared by name, because the classes are loaded with the runtime. */
const expectedErrors: ReadonlySet<string> = new Set(["LockedError", "SettingsError", "SluiceError"]);

/**
 * Makes the stack of an expected error begin at the line of the host application that awaits the result. Node prints the source line of an uncaught
 * error, and a line of the bundle has tens of thousands of characters.
 */
export async function withCallerStack<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && expectedErrors.has(error.name)) Error.captureStackTrace(error, withCallerStack);
    throw error;
  }
}
