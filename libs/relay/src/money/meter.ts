import type { CallStatus, Units } from "@modelgate/contracts";
import type { CallFees } from "./fees.ts";
import { countTokens, minBytesPerToken } from "./tokenizer.ts";
import type { CompleteAnswer } from "../answers/exchange.ts";
import { estimateTokens, type Expectation } from "./expect.ts";
import type { CallCost, Measure, Metered, TextCost } from "./measure.ts";

/**
 * Maximum characters that are collected before the tokenizer counts them. Most streams are shorter and end with a
 * report of the vendor, so their text is never counted.
 */
const maxPendingCharacters = 64 * 1024;
/** Maximum ratio between a vendor's and the gateway's number of tokens. */
const maxTokenCountRatio = 1.25;

/** Meters a stream by the vendor's latest report, or by the tokens of its text. Counting never delays the stream. */
export class Meter {
  readonly fees: CallFees | undefined;
  /** Must be set before the first output is added. */
  textExtractor: { extractText(raw: string): string } | undefined;
  /** Latest report of the vendor (a total), with the counted images. */
  usage: Units | undefined;
  reportedTokens = 0;
  #raw: string[] = [];
  #rawCharacters = 0;
  #pendingText = "";
  #textCharacters = 0;
  #textBytes = 0;
  #counted: Promise<number> = Promise.resolve(0);
  /** Counted tokens, and the bytes of the counted text. */
  #exact = { tokens: 0, bytes: 0 };
  #images = 0;
  #hasNewOutput = false;
  readonly #maxReported: number;

  /** Reported output tokens above `maxReported` are not counted. */
  constructor({
    maxReported = Infinity,
    fees,
  }: { maxReported?: number | undefined; fees?: CallFees | undefined } = {}) {
    this.#maxReported = maxReported;
    this.fees = fees;
  }

  /** Records a report of the vendor, which replaces the previous one. */
  report(usage: Units): void {
    const { outputTokens = 0, outputAudioTokens = 0, outputImageTokens = 0 } = usage;
    this.reportedTokens = Math.min(outputTokens + outputAudioTokens + outputImageTokens, this.#maxReported);
    this.usage = this.#images === 0 ? usage : { ...usage, images: this.#images };
    this.#hasNewOutput = false;
  }

  /** Returns true if output arrived after the latest report. */
  get isReportStale(): boolean {
    return this.#hasNewOutput;
  }

  /** Adds received images, which are billed in addition to the reported usage. */
  addImages(count: number): void {
    if (count === 0) return;
    this.#images += count;
    this.usage = { ...this.usage, images: this.#images };
  }

  /** Adds raw output. Its text is extracted later, in larger pieces. */
  addOutput(raw: string): void {
    if (raw === "") return;
    this.#hasNewOutput = true;
    this.#raw.push(raw);
    this.#rawCharacters += raw.length;
    if (this.#rawCharacters > maxPendingCharacters) this.#extractText();
  }

  get hasData(): boolean {
    return this.#rawCharacters > 0 || this.#textCharacters > 0 || this.usage !== undefined;
  }

  get estimatedTokens(): number {
    this.#extractText();
    return estimateTokens(this.#textCharacters);
  }

  /** Returns the maximum output tokens that the vendor may bill for the output so far. */
  get maxTokens(): number {
    return Math.max(this.maxShownTokens, this.reportedTokens);
  }

  /** Returns the maximum output tokens in the received text. */
  get maxShownTokens(): number {
    this.#extractText();
    const { tokens, bytes } = this.#exact;
    return Math.ceil(tokens * maxTokenCountRatio) + Math.ceil((this.#textBytes - bytes) / minBytesPerToken);
  }

  /** Returns true if the vendor reported more output than the received text can contain. */
  get hasHiddenOutput(): boolean {
    const reported = this.reportedTokens;
    const thoughts = this.usage?.reasoningTokens ?? 0;
    // The raw output is at least as long as its text, so the text need not be extracted.
    if (thoughts === 0 && reported * minBytesPerToken <= this.#rawCharacters + this.#textBytes) return false;
    this.#extractText();
    return reported * minBytesPerToken > this.#textBytes;
  }

  /** Counts the tokens in the received text. */
  countOutputTokens(): Promise<number> {
    this.#extractText();
    this.#count();
    return this.#counted;
  }

  #extractText(): void {
    if (this.#rawCharacters === 0) return;
    const raw = this.#raw.join("");
    const textPiece = this.textExtractor?.extractText(raw) ?? raw;
    this.#raw = [];
    this.#rawCharacters = 0;
    this.#pendingText += textPiece;
    this.#textCharacters += textPiece.length;
    this.#textBytes += Buffer.byteLength(textPiece);
    if (this.#pendingText.length > maxPendingCharacters) this.#count();
  }

  #count(): void {
    const fullText = this.#pendingText;
    const bytes = this.#textBytes;
    this.#pendingText = "";
    this.#counted = this.#counted.then(async (sum) => {
      const tokens = sum + (await countTokens(fullText));
      this.#exact = { tokens, bytes };
      return tokens;
    });
  }
}

/**
 * Returns the usage of a stream. For text, this is the vendor's report. If it is missing or outdated, the output has at
 * least the counted tokens.
 */
export async function meterStream(cost: CallCost, meter: Meter, callStatus: CallStatus): Promise<Metered> {
  if (cost.by === "measure")
    return meter.hasData
      ? measureUsage(cost.measure, meter.usage, () => meter.countOutputTokens(), callStatus)
      : noUsage;
  const reported = reportedUsage(cost, meter, callStatus);
  if (reported !== undefined) return reported;
  if (cost.by === "job" || !meter.hasData) return noUsage;
  return { units: { requests: 1, ...(await reportedOrCounted(cost, meter)) }, estimated: true };
}

/**
 * Returns the vendor's report of a text stream. Undefined if it is missing, or outdated because the stream is
 * incomplete.
 */
export function reportedUsage(cost: CallCost, meter: Meter, callStatus: CallStatus): Metered | undefined {
  const { usage } = meter;
  if (cost.by !== "text" || usage === undefined || (callStatus !== "completed" && meter.isReportStale))
    return undefined;
  return { units: { requests: 1, ...usage }, estimated: false };
}

/**
 * Returns the usage of a text stream that the gateway ended before the vendor's final report. `max` limits the billed
 * output tokens.
 */
export async function meterEndedEarly(cost: TextCost, meter: Meter, max?: number): Promise<Metered> {
  const units: Units = { requests: 1, ...(await reportedOrCounted(cost, meter)) };
  if (max === undefined) return { units, estimated: true };
  const outputTokens = Math.min(units.outputTokens ?? 0, max);
  return { units: { ...units, outputTokens }, estimated: true, capped: ["outputTokens"] };
}

/** Returns the reported units, with at least the counted output tokens; an estimate if there is no report. */
async function reportedOrCounted(cost: TextCost, meter: Meter): Promise<Units> {
  const outputTokens = await meter.countOutputTokens();
  const { usage } = meter;
  if (usage === undefined) return await estimateUsage(cost, outputTokens);
  return { ...usage, outputTokens: Math.max(usage.outputTokens ?? 0, outputTokens) };
}

/** Returns the usage to charge if the client disconnected and the vendor reported none. */
export async function usageAfterDisconnect(cost: CallCost, expected: Expectation): Promise<Units> {
  const units = cost.by === "measure" ? await cost.measure.usageAfterDisconnect?.() : undefined;
  return units === undefined ? expected.floorUnits : { requests: 1, ...units };
}

/** Returns the usage to bill for a complete answer: the vendor's report, or an estimate. */
export function meterCompleteAnswer(
  cost: CallCost,
  answer: Pick<CompleteAnswer, "addedBytes" | "usage" | "text">,
): Metered | Promise<Metered> {
  const { usage } = answer;
  if (cost.by === "job") return noUsage;
  if (cost.by === "measure") return measureUsage(cost.measure, usage, () => textTokens(answer), "completed");
  return usage === undefined ? estimateAnswer(cost, answer) : { units: { requests: 1, ...usage }, estimated: false };
}

async function estimateAnswer(cost: TextCost, answer: Pick<CompleteAnswer, "addedBytes" | "text">): Promise<Metered> {
  const units = await estimateUsage(cost, await textTokens(answer), answer.addedBytes);
  return { units: { requests: 1, ...units }, estimated: true };
}

function textTokens(answer: Pick<CompleteAnswer, "text">): Promise<number> {
  return countTokens(answer.text?.() ?? "");
}

async function measureUsage(measure: Measure, ...args: Parameters<Measure["meter"]>): Promise<Metered> {
  const { units, estimated } = await measure.meter(...args);
  const [, , callStatus] = args;
  // A failed call without units does not pay the price per request either.
  if (callStatus === "failed" && Object.values(units).every((count) => count === 0)) return { units: {}, estimated };
  return { units: { requests: 1, ...units }, estimated };
}

const noUsage: Metered = { units: {}, estimated: true };

/**
 * Estimates the units of a call without a report. Only a body of pure text is counted by the tokenizer. Images, files
 * and audio are estimated by their maximum.
 */
async function estimateUsage({ body, size }: TextCost, outputTokens: number, addedBytes = 0): Promise<Units> {
  const text = size.textBytes === body.length ? body.toString() : "";
  const inputTokens = text === "" ? estimateTokens(size.textBytes) : await countTokens(text);
  return { inputTokens: inputTokens + estimateTokens(addedBytes) + size.mediaTokens, outputTokens };
}
