import OpenAI from "openai";
import type { Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";

export function post(
  area: Pick<Area, "post">,
  body: unknown,
  key: string = keys.demo,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return area.post("/v1/chat/completions", body, key, headers);
}

export function sdk({ url }: Pick<Area, "url">, key: string = keys.demo): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}
