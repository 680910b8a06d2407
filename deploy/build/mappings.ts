/** Line and column, from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Position in a source, which the map names by index. */
export interface SourcePosition extends Position {
  readonly source: number;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOfCode = new Uint8Array(128);
for (let value = 0; value < digits.length; value++) valueOfCode[digits.charCodeAt(value)] = value;
const [comma, semicolon] = [",".charCodeAt(0), ";".charCodeAt(0)];

/**
 * Converts positions in a file to positions in its sources, by the `mappings` of a source map. Node's `SourceMap` would
 * take 15 MB per file.
 */
export function findPositions(
  mappings: string,
  positions: readonly Position[],
): readonly (SourcePosition | undefined)[] {
  const found: (SourcePosition | undefined)[] = positions.map(() => undefined);
  const lines = new Set(positions.map((place) => place.line));
  const lastLine = Math.max(...lines);
  // Column, source, line and column in the source, name. A segment contains their changes.
  const state = new Int32Array(5);
  let line = 0;
  let field = 0;
  let value = 0;
  let shift = 0;
  for (let at = 0; at <= mappings.length && line <= lastLine; at++) {
    const code = at === mappings.length ? semicolon : mappings.charCodeAt(at);
    if (code === comma || code === semicolon) {
      if (field > 0 && lines.has(line)) noteSegment(found, positions, line, state, field);
      field = 0;
      if (code === semicolon) {
        line++;
        state[0] = 0;
      }
      continue;
    }
    const digit = valueOfCode[code] ?? 0;
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    state[field] = (state[field] ?? 0) + ((value & 1) === 0 ? value >>> 1 : -(value >>> 1));
    field++;
    value = 0;
    shift = 0;
  }
  return found;
}

/**
 * Sets the result of each position at or after the start of a segment. A later segment of the line replaces it. A
 * segment with fewer than four fields has no source.
 */
function noteSegment(
  found: (SourcePosition | undefined)[],
  positions: readonly Position[],
  line: number,
  [column = 0, source = 0, sourceLine = 0, sourceColumn = 0]: Int32Array,
  fields: number,
): void {
  const position = fields < 4 ? undefined : { source, line: sourceLine, column: sourceColumn };
  for (const [index, place] of positions.entries())
    if (place.line === line && place.column >= column) found[index] = position;
}
