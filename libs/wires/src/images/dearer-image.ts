const usualQualities: ReadonlySet<unknown> = new Set(["low", "medium", "standard", "auto", "", null, undefined]);
/** Pixels up to which vendors with a price per image have one price; 2K and 4K images cost more. */
const usualPixels = 2 * 1024 * 1024;

/** Finds the member that asks for an image of more than the usual quality or size; undefined for none. */
export function dearerImage({
  quality,
  size,
}: {
  readonly quality?: unknown;
  readonly size?: unknown;
}): "quality" | "size" | undefined {
  if (!usualQualities.has(quality)) return "quality";
  if (typeof size !== "string") return undefined;
  if (/^4k$/i.test(size)) return "size";
  const [, width = 0, height = 0] = /^(\d+)[x*](\d+)$/i.exec(size)?.map(Number) ?? [];
  return width * height > usualPixels ? "size" : undefined;
}
