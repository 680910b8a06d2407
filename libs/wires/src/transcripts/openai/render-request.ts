import { Failure } from "@modelgate/contracts";
import type { FormEntry, TranscriptFormat, TranscriptsRequest } from "../hub/request.ts";

/** Models that write rather than align have no times: they answer in plain JSON only. */
const withoutTimes = /transcribe/i;

/** What a vendor is asked for, by what the client wants: subtitles are made from the segments of verbose_json. */
const askedFor: Readonly<Record<TranscriptFormat, "json" | "verbose_json" | "diarized_json">> = {
  json: "json",
  text: "json",
  srt: "verbose_json",
  vtt: "verbose_json",
  verbose_json: "verbose_json",
  diarized_json: "diarized_json",
};

/** The form's fields for a vendor, without its model. */
export function renderForm(request: TranscriptsRequest, { model }: { readonly model: string }): readonly FormEntry[] {
  const format = askedFor[request.format];
  if (format === "verbose_json" && withoutTimes.test(model))
    throw new Failure(
      "unsupported_parameter",
      `The vendor of this model reports no times: response_format can be json or text, not ${request.format}.`,
      { param: "response_format" },
    );
  return [
    ...optional("language", request.language),
    ...optional("prompt", request.prompt),
    ["response_format", format],
    ...optional("temperature", request.temperature),
    ...request.granularities.map((each): FormEntry => ["timestamp_granularities[]", each]),
    ...(request.stream ? optional("stream", "true") : []),
    ...request.own,
  ];
}

function optional(name: string, value: string | number | undefined): readonly FormEntry[] {
  return value === undefined ? [] : [[name, String(value)]];
}
