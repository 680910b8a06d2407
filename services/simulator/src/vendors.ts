import { anthropic } from "./anthropic/index.ts";
import { cohere } from "./cohere/index.ts";
import { gemini } from "./gemini/index.ts";
import { jina } from "./jina/index.ts";
import { openai } from "./openai/index.ts";
import type { Vendor } from "./vendor.ts";

/** Every vendor on this machine: one line each. */
export const vendors: readonly Vendor[] = [openai, anthropic, gemini, jina, cohere];
