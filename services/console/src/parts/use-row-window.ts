import { useEffect, useState, type RefObject } from "react";

/** Number of rows that are rendered above and below the visible ones. */
const extraRows = 20;

/** Range of rendered rows, from `first` (inclusive) to `last` (exclusive). */
export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the range of rows to render. With a fixed row height, these are the visible rows and some around them,
 * updated on scroll; otherwise all rows.
 */
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
      // Rounded to steps, so that not every pixel causes a render.
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
