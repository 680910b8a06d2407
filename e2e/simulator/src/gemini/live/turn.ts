import type { Behaviour } from "../../behaviour.ts";
import { answerFor } from "../../core/answer.ts";
import { freshId } from "../../core/ids.ts";
import type { Question } from "../../core/question.ts";
import { generatedSpeechTokens, toneFor } from "../../core/speech.ts";
import { piecesOf, tokensOf } from "../../core/tokens.ts";
import type { SocketFrame } from "../../sockets/peer.ts";

export interface ModalityTokens {
  readonly text: number;
  readonly audio: number;
}

/** Input of a turn, and its tokens. */
export interface TurnPlan {
  readonly isSpoken: boolean;
  readonly question: Question;
  readonly behaviour: Behaviour;
  readonly read: ModalityTokens;
  readonly cached: ModalityTokens;
}

/** Turn of the model. Its usage grows with each message. */
export class Turn {
  readonly #plan: TurnPlan;
  #generated = { text: 0, audio: 0 };
  readonly calls = new Map<string, string>();
  words = "";
  interrupted = false;

  constructor(plan: TurnPlan) {
    this.#plan = plan;
  }

  *messages(): Generator<SocketFrame> {
    const { question, behaviour } = this.#plan;
    const answer = answerFor(question, behaviour);
    for (const piece of answer.text === undefined ? [] : piecesOf(answer.text, behaviour.chunks)) {
      yield { event: { serverContent: this.#contentOf(piece) }, content: true };
    }
    if (answer.calls.length > 0) {
      const functionCalls = answer.calls.map(({ name, arguments: args }) => {
        const id = freshId("call_");
        this.calls.set(id, name);
        this.#generated.text += tokensOf(args);
        const parsed: unknown = JSON.parse(args);
        return { id, name, args: parsed };
      });
      yield { event: { toolCall: { functionCalls }, ...this.usage() } };
      return;
    }
    yield { event: { serverContent: { generationComplete: true } } };
    yield { event: { serverContent: { turnComplete: true }, ...this.usage() } };
  }

  /** Yields the last messages of an interrupted turn. */
  *interruption(): Generator<SocketFrame> {
    yield { event: { serverContent: { interrupted: true } } };
    yield { event: { serverContent: { turnComplete: true }, ...this.usage() } };
  }

  usage(): object {
    const { behaviour, read, cached } = this.#plan;
    if (behaviour.usage === null) return {};
    if (behaviour.usage !== undefined) return { usageMetadata: behaviour.usage };
    const [prompt, response] = [read.text + read.audio, this.#generated.text + this.#generated.audio];
    return {
      usageMetadata: {
        promptTokenCount: prompt,
        promptTokensDetails: details(read),
        cachedContentTokenCount: cached.text + cached.audio,
        cacheTokensDetails: details(cached),
        responseTokenCount: response,
        responseTokensDetails: details(this.#generated),
        totalTokenCount: prompt + response,
      },
    };
  }

  #contentOf(piece: string): object {
    this.words += piece;
    this.#generated.text += tokensOf(piece);
    if (!this.#plan.isSpoken) return { modelTurn: { role: "model", parts: [{ text: piece }] } };
    const audio = toneFor(piece);
    this.#generated.audio += generatedSpeechTokens(audio.length);
    return {
      modelTurn: {
        role: "model",
        parts: [{ inlineData: { mimeType: "audio/pcm;rate=24000", data: audio.toString("base64") } }],
      },
      outputTranscription: { text: piece },
    };
  }
}

function details({ text, audio }: ModalityTokens): readonly object[] {
  return [
    { modality: "TEXT", tokenCount: text },
    { modality: "AUDIO", tokenCount: audio },
  ].filter(({ tokenCount }) => tokenCount > 0);
}
