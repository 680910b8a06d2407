/** A mark after which the vendor may cache the prompt. */
export interface CacheHint {
  readonly lifetime?: "5m" | "1h" | undefined;
}
