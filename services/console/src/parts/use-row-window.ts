import { useEffect, useState, type RefObject } from "react";

/** Rows that are drawn above and below what is seen. */
const beyond = 20;

/** Which rows of a table are drawn: `first` is included, `last` is not. */
export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

/**
 * Of many rows of one height those that are seen, and some around them, as the page is scrolled. Where no height is given, all
 * are.
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
      // In steps, so that not every pixel draws anew.
      const at = Math.floor(Math.max(0, -top / rowHeight) / beyond) * beyond;
      setFirst(at);
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
  return { first: Math.max(0, Math.min(first, rows) - beyond), last: Math.min(rows, first + seen + 2 * beyond) };
}
