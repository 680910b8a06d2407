/** How the Base64 of an image begins, by its media type. */
const beginnings = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
] as const;

/** Reads an image's media type off the beginning of its Base64; what is unknown is taken for a PNG. */
export function mediaTypeOfImage(data: string): string {
  return beginnings.find(([beginning]) => data.startsWith(beginning))?.[1] ?? "image/png";
}
