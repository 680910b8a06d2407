/**
 * Copies a text. If the browser does not permit it, selects the text instead. The clipboard is undefined on pages without
 * https. Returns whether the text was copied.
 */
export async function copyOrSelect(
  text: string,
  select: () => void,
  clipboard: Pick<Clipboard, "writeText"> | undefined,
): Promise<boolean> {
  try {
    if (clipboard !== undefined) {
      await clipboard.writeText(text);
      return true;
    }
  } catch {
    // The permission is denied.
  }
  select();
  return false;
}
