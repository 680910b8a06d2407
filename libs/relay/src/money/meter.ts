import type { CallStatus, Units } from "@modelgate/contracts";
import type { CallFees } from "./fees.ts";
import { countTokens, minBytesPerToken } from "./tokenizer.ts";
import type { WholeAnswer } from "../answers/exchange.ts";
import { estimateTokens, type Expectation } from "./expect.ts";
import type { CallCost, Measure, Metered, TextCost } from "./measure.ts";

/**
 * Maximum characters that are kept before they are counted. Most streams end before, with the vendor's usage report.
 */
const maxHeld = 64 * 1024;
/** Maximum factor by which a vendor's tokenizer counts more tokens than the one used here, for all known vendors. */
const finerCut = 1.25;

/**
 * Meters the received part of a stream: by the vendor's latest usage report, or by counting the text's tokens. The
 * count runs while the stream continues and never delays it.
 */
export class Meter {
  /** Fees of the call, if its wire reports them. */
  readonly fees: CallFees | undefined;
  /** Reads words out of the pieces; set before the first of them. */
  reader: { wordsOf(raw: string): string } | undefined;
  /** The newest report, with the images that were counted; the last one is the value, not the sum. */
  usage: Units | undefined;
  /** Output tokens in the newest report. */
  reportedTokens = 0;
  /** Raw pieces whose words were not read yet. */
  #raw: string[] = [];
  #rawCharacters = 0;
  /** Text that the tokenizer has not counted yet. */
  #words: string[] = [];
  #wordsHeld = 0;
  #wordCharacters = 0;
  #wordBytes = 0;
  #counted: Promise<number> = Promise.resolve(0);
  /** Tokens that the tokenizer has counted, and their bytes. */
  #exact = { tokens: 0, bytes: 0 };
  #images = 0;
  #addedSince = false;
  readonly #maxReported: number;

  /** `maxReported`: maximum output tokens that are accepted from a vendor's report. */
  constructor({
    maxReported = Infinity,
    fees,
  }: { maxReported?: number | undefined; fees?: CallFees | undefined } = {}) {
    this.#maxReported = maxReported;
    this.fees = fees;
  }

  /** Takes a report of usage. */
  report(usage: Units): void {
    const { outputTokens = 0, outputAudioTokens = 0, outputImageTokens = 0 } = usage;
    this.reportedTokens = Math.min(outputTokens + outputAudioTokens + outputImageTokens, this.#maxReported);
    this.usage = this.#images === 0 ? usage : { ...usage, images: this.#images };
    this.#addedSince = false;
  }

  /**
   * Returns whether text arrived after the latest report: a report at a stream's beginning does not include its end.
   */
  get isReportStale(): boolean {
    return this.#addedSince;
  }

  /** Adds received images, if they are billed in addition to the report. */
  addImages(count: number): void {
    if (count === 0) return;
    this.#images += count;
    this.usage = { ...this.usage, images: this.#images };
  }

  /** Adds a piece of the model's output. */
  add(raw: string): void {
    if (raw === "") return;
    this.#addedSince = true;
    this.#raw.push(raw);
    this.#rawCharacters += raw.length;
    if (this.#rawCharacters > maxHeld) this.#read();
  }

  /** Returns whether any output arrived. */
  get any(): boolean {
    return this.#rawCharacters > 0 || this.#wordCharacters > 0 || this.usage !== undefined;
  }

  /** Returns a rough count of tokens for a hold's floor. */
  get roughTokens(): number {
    this.#read();
    return estimateTokens(this.#wordCharacters);
  }

  /**
   * Returns the maximum output tokens that a vendor can count in the received output and its report. This is billed if
   * the vendor shows all that it bills.
   */
  get maxTokens(): number {
    return Math.max(this.maxShownTokens, this.reportedTokens);
  }

  /** Returns the maximum output tokens that a vendor can count in the received text. */
  get maxShownTokens(): number {
    this.#read();
    const { tokens, bytes } = this.#exact;
    return Math.ceil(tokens * finerCut) + Math.ceil((this.#wordBytes - bytes) / minBytesPerToken);
  }

  /** Returns whether the vendor reported more output than the received text can contain. */
  get hidesOutput(): boolean {
    const reported = this.reportedTokens;
    const thoughts = this.usage?.reasoningTokens ?? 0;
    // Words are read only where there is a reason to ask.
    if (thoughts === 0 && reported * minBytesPerToken <= this.#rawCharacters + this.#wordBytes) return false;
    this.#read();
    return reported * minBytesPerToken > this.#wordBytes;
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
    const words = this.reader?.wordsOf(raw) ?? raw;
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
 * Returns the usage of a stream: the vendor's report, or a count of the received text. If the stream is incomplete and
 * its latest report came before its last text, the output is counted.
 */
export async function meterStream(cost: CallCost, meter: Meter, ended: CallStatus): Promise<Metered> {
  if (cost.by === "measure")
    return meter.any ? measured(cost.measure, meter.usage, () => meter.outputTokens(), ended) : nothing;
  const reported = reportedUsage(cost, meter, ended);
  if (reported !== undefined) return reported;
  if (cost.by === "job" || !meter.any) return nothing;
  return { units: { requests: 1, ...(await unreported(cost, meter)) }, estimated: true };
}

/** Returns the vendor's report of a text stream; undefined if there is none, or only one of the stream's beginning. */
export function reportedUsage(cost: CallCost, meter: Meter, ended: CallStatus): Metered | undefined {
  const { usage } = meter;
  if (cost.by !== "text" || usage === undefined || (ended !== "completed" && meter.isReportStale)) return undefined;
  return { units: { requests: 1, ...usage }, estimated: false };
}

/**
 * Returns the usage of a text stream that was ended before its vendor ended it, and therefore has no final report.
 * `most` is the output limit if the vendor exceeded it: the excess is not billed.
 */
export async function meterCut(cost: TextCost, meter: Meter, most?: number): Promise<Metered> {
  const units: Units = { requests: 1, ...(await unreported(cost, meter)) };
  if (most === undefined) return { units, estimated: true };
  const outputTokens = Math.min(units.outputTokens ?? 0, most);
  return { units: { ...units, outputTokens }, estimated: true, capped: ["outputTokens"] };
}

/** Returns the reported units, with the output replaced by a count. */
async function unreported(cost: TextCost, meter: Meter): Promise<Units> {
  const counted = await meter.outputTokens();
  const { usage } = meter;
  if (usage === undefined) return await estimate(cost, counted);
  return { ...usage, outputTokens: Math.max(usage.outputTokens ?? 0, counted) };
}

/** Returns the certain usage of a call whose client disconnected and whose vendor reported no usage. */
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
  if (cost.by === "job") return nothing;
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

/** Estimates units if the vendor reported none: the request's text is counted, media are taken at their maximum. */
async function estimate({ body, size }: TextCost, outputTokens: number, addedBytes = 0): Promise<Units> {
  const text = size.textBytes === body.length ? body.toString() : "";
  const inputTokens = text === "" ? estimateTokens(size.textBytes) : await countTokens(text);
  return { inputTokens: inputTokens + estimateTokens(addedBytes) + size.mediaTokens, outputTokens };
}
