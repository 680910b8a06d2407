import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findPositions } from "./mappings.ts";

/*
 * Gives stack traces the positions of the sources. Node's `--enable-source-maps` reads all maps at the start and stores
 * them decoded. This module reads the map of a file only when a stack with an unknown position in that file is shown,
 * and stores the position.
 */

/** Position of a call in a file of the bundle. */
interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const folder = import.meta.url.slice(0, import.meta.url.lastIndexOf("/") + 1);
const maxPositions = 2_000;
/** Positions in sources by positions in the bundle. */
const sourcePositions = new Map<string, string>();

Error.prepareStackTrace = (error, sites) => {
  const places = sites.map(placeOf);
  storePositions(places.filter((place) => place !== undefined).filter((place) => !sourcePositions.has(keyOf(place))));
  return [titleOf(error), ...sites.map((site, index) => `    at ${textOf(site, places[index])}`)].join("\n");
};

/** Returns the first line of a stack, in which Node's errors have their code. */
function titleOf(error: Error): string {
  try {
    const title = Error.prototype.toString.call(error);
    const code = "code" in error ? String(error.code) : "";
    if (!code.startsWith("ERR_") || title.includes(`[${code}]`) || !title.startsWith(error.name)) return title;
    return `${error.name} [${code}]${title.slice(error.name.length)}`;
  } catch {
    return "Error";
  }
}

/** Returns the position of a call; undefined if it is not in the bundle. */
function placeOf(site: NodeJS.CallSite): Place | undefined {
  const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  return file?.startsWith(folder) && line !== null && column !== null ? { file, line, column } : undefined;
}

function keyOf({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

function textOf(site: NodeJS.CallSite, place: Place | undefined): string {
  // V8's CallSite has a `toString` that renders a stack frame. Its types do not declare it.
  // oxlint-disable-next-line typescript/no-base-to-string
  const text = String(site);
  if (place === undefined) return text;
  const key = keyOf(place);
  return text.replace(key, () => sourcePositions.get(key) ?? key);
}

function storePositions(places: readonly Place[]): void {
  if (sourcePositions.size + places.length > maxPositions) sourcePositions.clear();
  for (const [file, inFile] of Map.groupBy(places, (place) => place.file)) {
    const sources = sourcesOf(file, inFile);
    for (const [index, place] of inFile.entries()) sourcePositions.set(keyOf(place), sources[index] ?? keyOf(place));
  }
}

/** Returns positions in the sources from a file's map; none without a map. */
function sourcesOf(file: string, places: readonly Place[]): readonly (string | undefined)[] {
  try {
    const map: { readonly sources: readonly string[]; readonly mappings: string } = JSON.parse(
      readFileSync(`${fileURLToPath(file)}.map`, "utf8"),
    );
    const positions = places.map(({ line, column }) => ({ line: line - 1, column: column - 1 }));
    return findPositions(map.mappings, positions).map((position) => {
      const source = position === undefined ? undefined : map.sources[position.source];
      if (position === undefined || source === undefined) return undefined;
      return `${new URL(source, file).href}:${position.line + 1}:${position.column + 1}`;
    });
  } catch {
    return [];
  }
}
