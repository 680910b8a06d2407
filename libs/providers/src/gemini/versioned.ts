/** The base URL with a version: the vendor's own, unless it names one. */
export function versioned(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  return /\/v\d\w*$/.test(base) ? base : `${base}/v1beta`;
}
