import { useEffect, useState, type RefObject } from "react";

/**
 * Minimum number of rows that are rendered above and below the visible ones, and the number of rows after which
 * scrolling causes a render.
 */
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
  const [visibleRows, setVisibleRows] = useState(0);
  useEffect(() => {
    if (rowHeight === undefined) return undefined;
    const updateWindow = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      // Rounded, so that scrolling by a few pixels causes no render.
      const firstRow = Math.floor(Math.max(0, -top / rowHeight) / extraRows) * extraRows;
      setFirst(firstRow);
      setVisibleRows(Math.ceil(window.innerHeight / rowHeight));
    };
    updateWindow();
    window.addEventListener("scroll", updateWindow, { passive: true });
    window.addEventListener("resize", updateWindow);
    return () => {
      window.removeEventListener("scroll", updateWindow);
      window.removeEventListener("resize", updateWindow);
    };
  }, [body, rowHeight]);
  if (rowHeight === undefined) return { first: 0, last: rows };
  return {
    first: Math.max(0, Math.min(first, rows) - extraRows),
    last: Math.min(rows, first + visibleRows + 2 * extraRows),
  };
}
