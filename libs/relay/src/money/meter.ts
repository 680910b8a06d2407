import type { Outcome, Units } from "@modelgate/contracts";
import type { CallFees } from "./fees.ts";
import { countTokens, estimateTokens, minBytesPerToken } from "./tokens.ts";
import type { WholeAnswer } from "../answers/exchange.ts";
import type { Expectation } from "./expect.ts";
import type { CallCost, Measure, Metered, TextCost } from "./measure.ts";

/** Raw pieces, and words, kept before they are read and counted; most streams end, with the vendor's own usage, before. */
const maxHeld = 64 * 1024;
/** A vendor's tokenizer may cut finer than the one that counts here: by so much, at most, for all that are known. */
const finerCut = 1.25;

/**
 * Meters what a stream has brought so far: the vendor's last report of usage, or else the words themselves, counted as
 * they come so that no stream is ever held.
 */
export class Meter {
  /** Fees of the call beside its tokens, if its wire reports that. */
  readonly fees: CallFees | undefined;
  #reader: { wordsOf(raw: string): string } | undefined;
  /** Raw pieces whose words were not read yet. */
  #raw: string[] = [];
  #rawCharacters = 0;
  /** Words that the tokenizer has not seen yet. */
  #words: string[] = [];
  #wordsHeld = 0;
  #wordCharacters = 0;
  #wordBytes = 0;
  #counted: Promise<number> = Promise.resolve(0);
  /** Tokens that the tokenizer has counted, and their bytes. */
  #exact = { tokens: 0, bytes: 0 };
  #usage: Units | undefined;
  #images = 0;
  #addedSince = false;
  readonly #maxReported: number;

  /** `maxReported`: output tokens beyond which a vendor's report is not believed. */
  constructor({
    maxReported = Infinity,
    fees,
  }: { maxReported?: number | undefined; fees?: CallFees | undefined } = {}) {
    this.#maxReported = maxReported;
    this.fees = fees;
  }

  /** Sets how words are read out of the pieces that follow; before the first of them. */
  readWith(reader: { wordsOf(raw: string): string }): void {
    this.#reader = reader;
  }

  /** The newest report, with the images that were counted; the last one is the value, not the sum. */
  get usage(): Units | undefined {
    return this.#images === 0 ? this.#usage : { ...this.#usage, images: this.#images };
  }

  set usage(usage: Units | undefined) {
    this.#usage = usage;
    this.#addedSince = false;
  }

  /** Returns whether words came after the newest report: a report at a stream's beginning knows nothing of its end. */
  get isReportStale(): boolean {
    return this.#addedSince;
  }

  /** Adds images that came, where they are paid for beside what is reported. */
  addImages(count: number): void {
    this.#images += count;
  }

  /** Adds a piece of what the model wrote. */
  add(raw: string): void {
    if (raw === "") return;
    this.#addedSince = true;
    this.#raw.push(raw);
    this.#rawCharacters += raw.length;
    if (this.#rawCharacters > maxHeld) this.#read();
  }

  /** Returns whether anything came at all. */
  get any(): boolean {
    return this.#rawCharacters > 0 || this.#wordCharacters > 0 || this.#images > 0 || this.#usage !== undefined;
  }

  /** A rough count for a hold's floor. */
  get roughTokens(): number {
    this.#read();
    return estimateTokens(this.#wordCharacters);
  }

  /** The most output tokens that a vendor can count in what came: what is billed, if the vendor shows all that it bills. */
  get maxTokens(): number {
    return Math.max(this.maxShownTokens, this.reportedTokens);
  }

  /** The most output tokens that a vendor can count in the words that came. */
  get maxShownTokens(): number {
    this.#read();
    const { tokens, bytes } = this.#exact;
    return Math.ceil(tokens * finerCut) + Math.ceil((this.#wordBytes - bytes) / minBytesPerToken);
  }

  /** Returns whether the vendor reported more output than it can have shown. */
  get hidesOutput(): boolean {
    const reported = this.reportedTokens;
    const thoughts = this.#usage?.reasoningTokens ?? 0;
    // Words are read only where there is a reason to ask.
    if (thoughts === 0 && reported * minBytesPerToken <= this.#rawCharacters + this.#wordBytes) return false;
    this.#read();
    return reported * minBytesPerToken > this.#wordBytes;
  }

  /** Output tokens in the newest report. */
  get reportedTokens(): number {
    const { outputTokens = 0, outputAudioTokens = 0, outputImageTokens = 0 } = this.#usage ?? {};
    return Math.min(outputTokens + outputAudioTokens + outputImageTokens, this.#maxReported);
  }

  /** Output tokens by the tokenizer. */
  outputTokens(): Promise<number> {
    this.#read();
    this.#count();
    return this.#counted;
  }

  #read(): void {
    if (this.#rawCharacters === 0) return;
    const raw = this.#raw.join("");
    const words = this.#reader?.wordsOf(raw) ?? raw;
    this.#raw = [];
    this.#rawCharacters = 0;
    this.#words.push(words);
    this.#wordsHeld += words.length;
    this.#wordCharacters += words.length;
    this.#wordBytes += Buffer.byteLength(words);
    if (this.#wordsHeld > maxHeld) this.#count();
  }

  #count(): void {
    const words = this.#words.join("");
    const bytes = this.#wordBytes;
    this.#words = [];
    this.#wordsHeld = 0;
    this.#counted = this.#counted.then(async (sum) => {
      const tokens = sum + (await countTokens(words));
      this.#exact = { tokens, bytes };
      return tokens;
    });
  }
}

/**
 * Returns the usage of a stream: the vendor's report, or what was counted of what came. A report that came before the last words of
 * a stream that was not whole is of its beginning: the output is counted then.
 */
export async function meterStream(cost: CallCost, meter: Meter, outcome: Outcome): Promise<Metered> {
  if (cost.by === "measure")
    return meter.any ? measured(cost.measure, meter.usage, () => meter.outputTokens(), outcome) : nothing;
  const reported = reportedUsage(cost, meter, outcome);
  if (reported !== undefined) return reported;
  if (!meter.any) return nothing;
  return { units: { requests: 1, ...(await unreported(cost, meter)) }, estimated: true };
}

/** Returns the vendor's report of a text stream; undefined where it did not, or only of a stream's beginning. */
export function reportedUsage(cost: CallCost, meter: Meter, outcome: Outcome): Metered | undefined {
  const { usage } = meter;
  if (cost.by !== "text" || usage === undefined || (outcome !== "completed" && meter.isReportStale)) return undefined;
  return { units: { requests: 1, ...usage }, estimated: false };
}

/**
 * Returns the usage of a text stream that was ended before its vendor ended it: there is no last word. `most` is the bound of tokens
 * where the vendor wrote beyond it: what it wrote beyond is not billed.
 */
export async function meterCut(cost: TextCost, meter: Meter, most?: number): Promise<Metered> {
  const units: Units = { requests: 1, ...(await unreported(cost, meter)) };
  if (most === undefined) return { units, estimated: true };
  const outputTokens = Math.min(units.outputTokens ?? 0, most);
  return { units: { ...units, outputTokens }, estimated: true, capped: ["outputTokens"] };
}

/** Units as far as they were reported, with the output that was counted. */
async function unreported(cost: TextCost, meter: Meter): Promise<Units> {
  const counted = await meter.outputTokens();
  const { usage } = meter;
  if (usage === undefined) return await estimate(cost, counted);
  return { ...usage, outputTokens: Math.max(usage.outputTokens ?? 0, counted) };
}

/** Returns the certain usage of a call whose client left, and of which its vendor reported nothing. */
export async function unitsOfLeft(cost: CallCost, expected: Expectation): Promise<Units> {
  const units = cost.by === "measure" ? await cost.measure.left?.() : undefined;
  return units === undefined ? expected.floorUnits : { requests: 1, ...units };
}

/** Returns the usage of a complete answer. */
export async function meterWhole(
  cost: CallCost,
  answer: Pick<WholeAnswer, "addedBytes" | "usage" | "words">,
): Promise<Metered> {
  const { usage, addedBytes } = answer;
  const count = (): Promise<number> => countTokens(answer.words());
  if (cost.by === "measure") return measured(cost.measure, usage, count, "completed");
  return {
    units: { requests: 1, ...(usage ?? (await estimate(cost, await count(), addedBytes))) },
    estimated: usage === undefined,
  };
}

async function measured(measure: Measure, ...how: Parameters<Measure["meter"]>): Promise<Metered> {
  const { units, estimated } = await measure.meter(...how);
  return { units: { requests: 1, ...units }, estimated };
}

const nothing: Metered = { units: {}, estimated: true };

/** Units where the vendor reported none: the request's text counted, media at their bound. */
async function estimate({ body, size }: TextCost, outputTokens: number, addedBytes = 0): Promise<Units> {
  const text = size.textBytes === body.length ? body.toString() : "";
  const inputTokens = text === "" ? estimateTokens(size.textBytes) : await countTokens(text);
  return { inputTokens: inputTokens + estimateTokens(addedBytes) + size.mediaTokens, outputTokens };
}
