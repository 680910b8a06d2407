import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/*
 * Gives stack traces the positions of the sources. Node's `--enable-source-maps` reads all maps at the start; this reads
 * a file's map when a stack with that file is first shown.
 */
const folder = import.meta.url.slice(0, import.meta.url.lastIndexOf("/") + 1);
const maps = new Map<string, SourceMap | undefined>();

Error.prepareStackTrace = (error, sites) =>
  [titleOf(error), ...sites.map((site) => `    at ${positionOf(site)}`)].join("\n");

function titleOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}

function positionOf(site: NodeJS.CallSite): string {
  // V8 has a format for it, which the types do not know.
  // oxlint-disable-next-line typescript/no-base-to-string
  const text = String(site);
  const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  if (!file?.startsWith(folder) || line === null || column === null) return text;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !("originalSource" in entry)) return text;
  const source = new URL(entry.originalSource, file).href;
  return text.replace(`${file}:${line}:${column}`, `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`);
}

/** Returns the map of a file; undefined if there is none. */
function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
