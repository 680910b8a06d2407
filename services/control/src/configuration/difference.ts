/** Line of a difference: removed, added or unchanged. */
export interface DifferenceLine {
  readonly kind: "removed" | "added" | "same";
  readonly text: string;
}

/** Maximum number of pairs of lines to compare. Larger texts are shown as completely removed and added. */
const maxPairs = 4_000_000;
const contextLines = 3;

/** Returns the changed lines of two texts, with a few unchanged lines around them. */
export function differenceOf(before: string, after: string): readonly DifferenceLine[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  )
    tail++;
  const same = (text: string): DifferenceLine => ({ kind: "same", text });
  return linesNearChanges([
    ...old.slice(0, head).map(same),
    ...lineDifference(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ]);
}

function lineDifference(old: readonly string[], fresh: readonly string[]): readonly DifferenceLine[] {
  if (old.length * fresh.length > maxPairs)
    return [
      ...old.map((text) => ({ kind: "removed", text }) as const),
      ...fresh.map((text) => ({ kind: "added", text }) as const),
    ];
  const common = commonLengths(old, fresh);
  const lines: DifferenceLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < fresh.length) {
    const [removed, added] = [old[at], fresh[to]];
    if (removed !== undefined && removed === added) {
      lines.push({ kind: "same", text: removed });
      at++;
      to++;
    } else if (
      removed !== undefined &&
      (added === undefined || lengthAt(common, at + 1, to) >= lengthAt(common, at, to + 1))
    ) {
      lines.push({ kind: "removed", text: removed });
      at++;
    } else {
      lines.push({ kind: "added", text: added ?? "" });
      to++;
    }
  }
  return lines;
}

/** Returns the length of the longest common subsequence from each pair of positions to the ends. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let at = old.length - 1; at >= 0; at--)
    for (let to = fresh.length - 1; to >= 0; to--) {
      const row = rows[at];
      if (row !== undefined)
        row[to] =
          old[at] === fresh[to]
            ? lengthAt(rows, at + 1, to + 1) + 1
            : Math.max(lengthAt(rows, at + 1, to), lengthAt(rows, at, to + 1));
    }
  return rows;
}

function lengthAt(rows: readonly Uint32Array[], at: number, to: number): number {
  return rows[at]?.[to] ?? 0;
}

function linesNearChanges(lines: readonly DifferenceLine[]): readonly DifferenceLine[] {
  const isNear = new Uint8Array(lines.length);
  for (const [at, { kind }] of lines.entries())
    if (kind !== "same") isNear.fill(1, Math.max(0, at - contextLines), at + contextLines + 1);
  return lines.filter((_, at) => isNear[at] === 1);
}
