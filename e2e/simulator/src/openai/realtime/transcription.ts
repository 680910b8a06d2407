import { receivedSpeechTokens, millisecondsOf } from "../../core/speech.ts";
import { tokensOf } from "../../core/tokens.ts";
import type { Item } from "./items.ts";
import { newEventHead } from "./response.ts";

const type = "conversation.item.input_audio_transcription";

/** Returns the events of a transcript. Older models report seconds instead of tokens. */
export function transcriptionOf({ id, words, audioBytes }: Item, model: string): readonly object[] {
  const place = { item_id: id, content_index: 0 };
  const [audioTokens, textTokens] = [receivedSpeechTokens(audioBytes), tokensOf(words)];
  const usage = model.startsWith("whisper")
    ? { type: "duration", seconds: millisecondsOf(audioBytes) / 1_000 }
    : {
        type: "tokens",
        total_tokens: audioTokens + textTokens,
        input_tokens: audioTokens,
        output_tokens: textTokens,
        input_token_details: { text_tokens: 0, audio_tokens: audioTokens },
      };
  return [
    { ...newEventHead(`${type}.delta`), ...place, delta: words },
    { ...newEventHead(`${type}.completed`), ...place, transcript: words, usage },
  ];
}
