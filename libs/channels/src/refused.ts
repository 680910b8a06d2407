import { Failure } from "@modelgate/contracts";
import { readErrorBody, type Provider, type VendorFailure } from "@modelgate/providers";
import type { UpstreamAnswer } from "./attempt-plan.ts";

/** Maximum bytes that are read of an answer with an error status. */
const errorBodyBytes = 64 * 1024;
/** Maximum delay that a vendor can request. */
const maxRetryAfterMs = 600_000;
/**
 * The client gets this status unchanged. Every other refusal because of the request gets the status of the failure's
 * code.
 */
const tooLarge = 413;

/** A vendor's refusal of a request: an answer with an error status, or a 2xx answer that reports an error. */
export class VendorRefusal extends Error {
  override readonly name = "Refused";
  readonly meaning: VendorFailure;
  readonly failure: Failure;
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** The vendor's error code and message for logs, without addresses and keys. */
  readonly vendorError: { readonly code?: string | undefined; readonly message?: string | undefined };
  constructor(
    meaning: VendorFailure,
    status: number,
    retryAfterMs: number | undefined,
    vendorError: VendorRefusal["vendorError"] = {},
  ) {
    super(meaning.code);
    this.meaning = meaning;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.vendorError = vendorError;
    const { vendorCode, detailCode } = meaning.blame === "request" ? meaning : {};
    this.failure = new Failure(meaning.code, meaning.message, {
      param: meaning.param,
      vendorCode,
      details: detailCode === undefined ? undefined : { error_code: detailCode },
      status: meaning.blame === "request" && status === tooLarge ? status : undefined,
      retryAfterSeconds: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000),
    });
  }
}

export async function readRefusal(answer: UpstreamAnswer, provider: Provider): Promise<VendorRefusal> {
  const text = await readText(answer, errorBodyBytes);
  const meaning = provider.failureOf(answer.status, text);
  const { code, type, status, message } = readErrorBody(text);
  const vendorError = { code: meaning.vendorCode ?? code ?? type ?? status, message };
  return new VendorRefusal(
    meaning,
    answer.status,
    limitDelay(retryAfterOf(answer) ?? meaning.retryAfterMs),
    vendorError,
  );
}

function limitDelay(ms: number | undefined): number | undefined {
  return ms === undefined || ms <= 0 ? undefined : Math.min(ms, maxRetryAfterMs);
}

/** Returns the ms of the vendor's `retry-after` header, which is a number of seconds or a date. */
function retryAfterOf({ headers }: UpstreamAnswer): number | undefined {
  const text = headers["retry-after"];
  if (typeof text !== "string") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : ms;
}

/** Reads at most `maxBytes` of a body as text. After an error it returns the text that arrived. */
export async function readText(answer: UpstreamAnswer, maxBytes: number): Promise<string> {
  return (await readUpTo(answer, maxBytes)).text;
}

/** Reads at most `maxBytes` of a body as text. `isWhole` is true if the body ended before the limit. Never rejects. */
export function readUpTo(
  answer: UpstreamAnswer,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ text: string; isWhole: boolean }>();
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (isWhole: boolean): void =>
    resolve({ text: Buffer.concat(chunks).toString("utf8", 0, maxBytes), isWhole });
  answer.pipe({
    data(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < maxBytes) return;
      finish(false);
      answer.abort();
    },
    end: () => finish(true),
    fail: () => finish(false),
  });
  return promise;
}
