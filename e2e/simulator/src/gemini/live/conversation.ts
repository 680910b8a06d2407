import { directiveIn } from "../../behaviour.ts";
import { isRecord, listAt, memberOf, textAt } from "../../checks/members.ts";
import { requireShape, Refusal } from "../../checks/refusal.ts";
import { questionFrom } from "../../core/question.ts";
import { receivedSpeechTokens, millisecondsOf, TurnDetector } from "../../core/speech.ts";
import { tokensOf } from "../../core/tokens.ts";
import type { Peer } from "../../sockets/peer.ts";
import type { Conversation, SocketCall } from "../../sockets/socket-vendor.ts";
import type { Shape } from "../../checks/shape.ts";
import { Turn, type ModalityTokens } from "./turn.ts";

/** Content of a conversation, with its tokens. */
interface ConversationEntry {
  readonly words: string;
  readonly tokens: ModalityTokens;
  /** True for the result of a tool call. */
  readonly result?: true;
}

const zeroTokens: ModalityTokens = { text: 0, audio: 0 };
/** Close code after an invalid message. */
const invalidMessage = 1007;

/** Conversation with a live model. The first message has the settings, and turns follow. */
export class LiveConversation implements Conversation {
  readonly #peer: Peer;
  readonly #call: SocketCall;
  readonly #shape: Shape;
  readonly #entries: ConversationEntry[] = [];
  readonly #voice = new TurnDetector();
  #setup: unknown;
  #audio: Buffer[] = [];
  #turn: Turn | undefined;
  #waitsFor = new Map<string, string>();
  /** Number of entries that earlier turns have read, whose tokens are therefore cached. */
  #readCount = 0;

  /** `shape` is the shape of a client's message. */
  constructor(peer: Peer, call: SocketCall, shape: Shape) {
    this.#peer = peer;
    this.#call = call;
    this.#shape = shape;
  }

  text(data: string): void {
    try {
      const message: unknown = JSON.parse(data);
      requireShape(message, this.#shape);
      this.#handle(message);
    } catch (error) {
      const message = error instanceof Refusal ? error.message : "The message is not valid JSON.";
      this.#peer.close(invalidMessage, message.slice(0, 120));
    }
  }

  closed(): void {
    if (this.#turn !== undefined) this.#turn.interrupted = true;
  }

  #handle(message: unknown): void {
    const setup = memberOf(message, "setup");
    if ((this.#setup === undefined) !== (setup !== undefined))
      throw new Refusal(400, "The first message is the setup, and no other is.");
    if (setup !== undefined) {
      this.#setup = setup;
      return this.#peer.send({ setupComplete: {} });
    }
    const content = memberOf(message, "clientContent");
    if (isRecord(content)) return this.#handleContent(content);
    const input = memberOf(message, "realtimeInput");
    if (isRecord(input)) return this.#handleInput(input);
    this.#handleResults(listAt(memberOf(message, "toolResponse"), "functionResponses"));
  }

  #handleContent(content: Readonly<Record<string, unknown>>): void {
    this.#interrupt();
    for (const turn of listAt(content, "turns")) {
      const words = listAt(turn, "parts")
        .map((part) => textAt(part, "text") ?? "")
        .join("");
      const audio = listAt(turn, "parts").map((part) => bytesOf(memberOf(part, "inlineData")).length);
      const audioTokens = receivedSpeechTokens(audio.reduce((sum, bytes) => sum + bytes, 0));
      this.#entries.push({ words, tokens: { text: tokensOf(words), audio: audioTokens } });
    }
    if (content["turnComplete"] === true) this.#answer();
  }

  #handleInput(input: Readonly<Record<string, unknown>>): void {
    if (this.#isManual()) {
      if (input["activityStart"] !== undefined) this.#interrupt();
      if (input["audio"] !== undefined) this.#audio.push(bytesOf(input["audio"]));
      if (input["activityEnd"] !== undefined) this.#endSpeech();
      return;
    }
    if (input["activityStart"] !== undefined || input["activityEnd"] !== undefined)
      throw new Refusal(
        400,
        "Explicit activity control is not supported when automatic activity detection is enabled.",
      );
    const text = textAt(input, "text");
    if (text !== undefined) {
      this.#entries.push({ words: text, tokens: { text: tokensOf(text), audio: 0 } });
      return this.#answer();
    }
    const samples = bytesOf(input["audio"]);
    this.#audio.push(samples);
    const speech = this.#voice.addSamples(samples);
    const config = memberOf(this.#setup, "realtimeInputConfig");
    if (speech === "speech began" && memberOf(config, "activityHandling") !== "NO_INTERRUPTION") this.#interrupt();
    if (speech === "speech ended") this.#endSpeech();
  }

  /** Called when the client has stopped speaking. */
  #endSpeech(): void {
    const bytes = this.#audio.reduce((sum, { length }) => sum + length, 0);
    this.#audio = [];
    const words = `${millisecondsOf(bytes)} ms of speech`;
    if (memberOf(this.#setup, "inputAudioTranscription") !== undefined)
      this.#peer.send({ serverContent: { inputTranscription: { text: words } } });
    this.#entries.push({ words, tokens: { text: 0, audio: receivedSpeechTokens(bytes) } });
    this.#answer();
  }

  #handleResults(results: readonly unknown[]): void {
    for (const result of results) {
      if (!this.#waitsFor.delete(textAt(result, "id") ?? ""))
        throw new Refusal(400, "A function response must be that of a call that was made.");
      const output = textAt(memberOf(result, "response"), "output") ?? JSON.stringify(memberOf(result, "response"));
      this.#entries.push({ words: output, tokens: { text: tokensOf(output), audio: 0 }, result: true });
    }
    if (this.#waitsFor.size === 0) this.#answer();
  }

  #answer(): void {
    const last = this.#entries.at(-1);
    const found = directiveIn(last?.words ?? "");
    const config = memberOf(this.#setup, "generationConfig");
    const instructions = listAt(memberOf(this.#setup, "systemInstruction"), "parts");
    const instructionText = instructions.map((part) => textAt(part, "text") ?? "").join("");
    const read = this.#entries.reduce((sum, { tokens }) => plus(sum, tokens), {
      text: tokensOf(instructionText),
      audio: 0,
    });
    const question = questionFrom(
      textAt(this.#setup, "model") ?? "",
      this.#entries.map(({ words }) => words),
      {
        tools: listAt(this.#setup, "tools")
          .flatMap((tool) => listAt(tool, "functionDeclarations"))
          .flatMap((tool) => {
            const name = textAt(tool, "name");
            return name === undefined ? [] : [{ name, schema: memberOf(tool, "parametersJsonSchema") }];
          }),
        results:
          last?.result === true
            ? this.#entries
                .filter(({ result }) => result === true)
                .map(({ words }) => words)
                .slice(-1)
            : undefined,
      },
    );
    const turn = new Turn({
      isSpoken: listAt(config, "responseModalities")[0] !== "TEXT",
      question,
      behaviour: found !== undefined && "behaviour" in found ? found.behaviour : this.#call.behaviour,
      read,
      cached: this.#entries.slice(0, this.#readCount).reduce((sum, { tokens }) => plus(sum, tokens), zeroTokens),
    });
    this.#readCount = this.#entries.length;
    this.#turn = turn;
    void this.#play(turn);
  }

  async #play(turn: Turn): Promise<void> {
    const found = directiveIn(this.#entries.at(-1)?.words ?? "");
    const behaviour = found !== undefined && "behaviour" in found ? found.behaviour : this.#call.behaviour;
    const whole = await this.#peer.play(turn.messages(), behaviour, {
      mayContinue: () => !turn.interrupted,
      failure: undefined,
    });
    if (!whole) return;
    this.#finish(turn);
    this.#waitsFor = turn.calls;
  }

  /** Adds the output of a turn to the input of later ones. */
  #finish(turn: Turn): void {
    if (this.#turn === turn) this.#turn = undefined;
    this.#entries.push({ words: "", tokens: { text: tokensOf(turn.words), audio: 0 } });
  }

  /** Ends the running turn. The interrupting input is answered afterwards. */
  #interrupt(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.interrupted = true;
    this.#finish(turn);
    for (const { event } of turn.interruption()) this.#peer.send(event);
  }

  #isManual(): boolean {
    const detection = memberOf(memberOf(this.#setup, "realtimeInputConfig"), "automaticActivityDetection");
    return memberOf(detection, "disabled") === true;
  }
}

function bytesOf(blob: unknown): Buffer {
  return Buffer.from(textAt(blob, "data") ?? "", "base64");
}

function plus(left: ModalityTokens, right: ModalityTokens): ModalityTokens {
  return { text: left.text + right.text, audio: left.audio + right.audio };
}
