import type { UseQueryResult } from "@tanstack/react-query";
import { localTime } from "../format/times.ts";
import { translate } from "../texts/translate.ts";

/** Returns the time of shown data and why they are not newer; undefined if the last read did not fail. */
export function oldDataText({
  error,
  dataUpdatedAt,
}: Pick<UseQueryResult, "error" | "dataUpdatedAt">): string | undefined {
  if (error === null) return undefined;
  const time = localTime(new Date(dataUpdatedAt).toISOString());
  return translate("Not updated since {time}: {reason}", { time, reason: error.message });
}
