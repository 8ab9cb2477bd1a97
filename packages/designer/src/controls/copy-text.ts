/** Copies text; false when the browser does not allow it. Pages served over plain HTTP have no clipboard API, only the copy command. */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (clipboard === undefined) return runCopyCommand(text);
  return clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

function runCopyCommand(text: string): boolean {
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener("copy", onCopy, { capture: true, once: true });
  try {
    return document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", onCopy, { capture: true });
  }
}
