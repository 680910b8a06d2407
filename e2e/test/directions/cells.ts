import { describe } from "vitest";
import { clients } from "./clients/index.ts";
import type { Client, Heard, HeardError } from "./question.ts";
import { vendors, type Vendor, type Wire } from "./vendors.ts";

/** One client to one vendor, whole or streamed. */
export interface Cell {
  readonly client: Client;
  readonly vendor: Vendor;
  readonly stream: boolean;
}

/** Tests of every client to every vendor, whole and streamed. */
export function inEveryDirection(define: (cell: Cell) => void, targets: readonly Vendor[] = vendors): void {
  describe.each(clients)("$name", (client) => {
    describe.each(targets)("to $name", (vendor) => {
      describe.each([
        { how: "whole", stream: false },
        { how: "streamed", stream: true },
      ])("$how", ({ stream }) => {
        define({ client, vendor, stream });
      });
    });
  });
}

/** The error that a client's user catches. Throws where there is an answer. */
export async function errorOf(client: Client, asked: Promise<Heard>): Promise<HeardError> {
  let heard: Heard;
  try {
    heard = await asked;
  } catch (thrown) {
    return client.errorOf(thrown);
  }
  throw new Error(`an answer instead of an error: ${heard.text}`);
}

/** How a client's wire says that a field was wrong: `error` of the body, as far as it is the same everywhere. */
export function wrongField(wire: Wire, field: string, code: string): object {
  if (wire === "messages") return { type: "invalid_request_error" };
  if (wire === "content")
    return {
      code: 400,
      status: "INVALID_ARGUMENT",
      details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field }] }],
    };
  return { type: "invalid_request_error", param: field, code };
}
