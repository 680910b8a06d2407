import { anthropic } from "./anthropic/index.ts";
import { bedrock } from "./bedrock/index.ts";
import { cohere } from "./cohere/index.ts";
import { deepgram } from "./deepgram/index.ts";
import { elevenlabs } from "./elevenlabs/index.ts";
import { gemini } from "./gemini/index.ts";
import { jimeng } from "./jimeng/index.ts";
import { jina } from "./jina/index.ts";
import { kling } from "./kling/index.ts";
import { openai } from "./openai/index.ts";
import { pictures } from "./pictures/index.ts";
import { qwen } from "./qwen/index.ts";
import { vertex } from "./vertex/index.ts";
import { volcengine } from "./volcengine/index.ts";
import type { Vendor } from "./vendor.ts";

/** All simulated vendors with an HTTP API. */
export const vendors: readonly Vendor[] = [
  openai,
  anthropic,
  gemini,
  jina,
  cohere,
  qwen,
  pictures,
  kling,
  jimeng,
  bedrock,
  vertex,
  elevenlabs,
  deepgram,
  volcengine,
];
