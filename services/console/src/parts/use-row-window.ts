import { useEffect, useState, type RefObject } from "react";

/** Number of rows that are rendered above and below the visible ones. */
const extraRows = 20;

/** Range of rendered rows, without `last`. */
export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

/** Returns the range of rows to render: all rows, or with a fixed row height those near the visible part. */
export function useRowWindow(
  body: RefObject<HTMLElement | null>,
  rows: number,
  rowHeight: number | undefined,
): RowWindow {
  const [first, setFirst] = useState(0);
  const [seen, setSeen] = useState(0);
  useEffect(() => {
    if (rowHeight === undefined) return undefined;
    const look = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      // Rounded, so that not every pixel causes a render.
      const firstRow = Math.floor(Math.max(0, -top / rowHeight) / extraRows) * extraRows;
      setFirst(firstRow);
      setSeen(Math.ceil(window.innerHeight / rowHeight));
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }, [body, rowHeight]);
  if (rowHeight === undefined) return { first: 0, last: rows };
  return { first: Math.max(0, Math.min(first, rows) - extraRows), last: Math.min(rows, first + seen + 2 * extraRows) };
}
