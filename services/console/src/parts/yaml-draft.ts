import type { ConfigurationDocument } from "../api/types.ts";

/** Edited text, and the version of the configuration that it began with. */
export interface YamlDraft {
  readonly text: string;
  readonly basedOn: number;
}

/** Shown text of the YAML editor. A draft is kept if another version is saved meanwhile, but cannot be saved then. */
export function editorText(found: Pick<ConfigurationDocument, "document" | "version">, draft: YamlDraft | undefined) {
  const version = found.version ?? 0;
  const { text, basedOn } = draft ?? { text: found.document, basedOn: version };
  const isOutdated = basedOn !== version;
  return { text, basedOn, isOutdated, maySave: text !== found.document && !isOutdated };
}
