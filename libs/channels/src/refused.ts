import { Failure } from "@modelgate/contracts";
import { readErrorBody, type Provider, type VendorFailure } from "@modelgate/providers";
import type { UpstreamAnswer } from "./attempt-plan.ts";

/** Maximum bytes of an error answer that are read. */
const errorBodyBytes = 64 * 1024;
/** Longest pause that a vendor can name; then it is tried again. */
const longestRetryAfterMs = 600_000;
/** The one status of a vendor that says more than that the client's input was wrong. */
const tooLarge = 413;

/** A refusal by the vendor, on its way to be blamed on somebody; `accept` throws it for one that came with a good status. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly meaning: VendorFailure;
  readonly failure: Failure;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** The vendor's own words and code, without addresses and keys: for logs. */
  readonly vendorError: { readonly code?: string | undefined; readonly message?: string | undefined };
  constructor(
    meaning: VendorFailure,
    status: number,
    retryAfterMs: number | undefined,
    vendorError: Refused["vendorError"] = {},
  ) {
    super(meaning.code);
    this.meaning = meaning;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.vendorError = vendorError;
    this.failure = new Failure(meaning.code, meaning.message, {
      param: meaning.param,
      vendorCode: meaning.blame === "request" ? meaning.vendorCode : undefined,
      status: meaning.blame === "request" && status === tooLarge ? status : undefined,
      retryAfterSeconds: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000),
    });
  }
}

/** An answer with an error status, read and understood. */
export async function refusal(answer: UpstreamAnswer, provider: Provider): Promise<Refused> {
  const text = await readText(answer, errorBodyBytes);
  const meaning = provider.failureOf(answer.status, text);
  const { code, type, status, message } = readErrorBody(text);
  const vendorError = { code: meaning.vendorCode ?? code ?? type ?? status, message };
  return new Refused(meaning, answer.status, granted(retryAfterOf(answer) ?? meaning.retryAfterMs), vendorError);
}

/** Returns the pause that a vendor names, within its bound; undefined where it may be tried again at once. */
function granted(ms: number | undefined): number | undefined {
  return ms === undefined || ms <= 0 ? undefined : Math.min(ms, longestRetryAfterMs);
}

/** The vendor's `retry-after`, seconds or a date. */
function retryAfterOf({ headers }: UpstreamAnswer): number | undefined {
  const text = headers["retry-after"];
  if (typeof text !== "string") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : ms;
}

/** The beginning of a body as text, at most `maxBytes`; what is beyond, or breaks off, is left. Never rejects. */
export async function readText(answer: UpstreamAnswer, maxBytes: number): Promise<string> {
  return (await readUpTo(answer, maxBytes)).text;
}

/** The same, with whether the answer came to its end: a text that was cut off may have said more. */
export function readUpTo(
  answer: UpstreamAnswer,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ text: string; isWhole: boolean }>();
  const chunks: Buffer[] = [];
  let size = 0;
  const done = (isWhole: boolean): void =>
    resolve({ text: Buffer.concat(chunks).toString("utf8", 0, maxBytes), isWhole });
  answer.pipe({
    data(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < maxBytes) return;
      done(false);
      answer.abort();
    },
    end: () => done(true),
    broken: () => done(false),
  });
  return promise;
}
