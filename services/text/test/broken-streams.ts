import { hello } from "../../../libs/relay/test/config.ts";

/** Stream that a client requests in a text wire. */
export interface BrokenStream {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** Matches the stream's error event, which the edge sends if the service is unavailable. */
  readonly broken: RegExp;
}

/** Returns a stream for each text wire. */
export function brokenStreams(model: string, words: string): readonly BrokenStream[] {
  const contents = [{ role: "user", parts: [{ text: words }] }];
  return [
    {
      name: "chat",
      path: "/v1/chat/completions",
      body: { ...hello(model, words), stream: true },
      broken: /\n\ndata: \{"error":\{.*"code":"server_overloaded"\}\}\n\n$/,
    },
    {
      name: "completions",
      path: "/v1/completions",
      body: { model, prompt: words, stream: true },
      broken: /\n\ndata: \{"error":\{.*"code":"server_overloaded"\}\}\n\n$/,
    },
    {
      name: "responses",
      path: "/v1/responses",
      body: { model, input: words, stream: true },
      broken: /\n\nevent: error\ndata: \{"type":"error","code":"server_overloaded",.*"sequence_number":[1-9]\d*\}\n\n$/,
    },
    {
      name: "messages",
      path: "/v1/messages",
      body: { ...hello(model, words), max_tokens: 100_000, stream: true },
      broken: /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error".*\n\n$/,
    },
    {
      name: "content",
      path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      body: { contents },
      broken: /\r\n\r\ndata: \{"error":\{"code":503,.*"status":"UNAVAILABLE".*\}\r\n\r\n$/,
    },
    {
      name: "content as an array",
      path: `/v1beta/models/${model}:streamGenerateContent`,
      body: { contents },
      broken: /,\r\n\{"error":\{"code":503,.*\}\]$/,
    },
  ];
}

/**
 * Returns streams that are longer than a drain of a few seconds. Responses end with `response.failed` of the service,
 * or with `error` of the edge.
 */
export function streamsOfDrain(model: string): readonly BrokenStream[] {
  return brokenStreams(model, 'Hi {{simulate: {"chunks": 800, "chunkDelayMs": 25}}}').map((stream) =>
    stream.name === "responses"
      ? { ...stream, broken: /\n\nevent: (response\.failed|error)\ndata: \{.*"sequence_number":[1-9].*\n\n$/ }
      : stream,
  );
}
