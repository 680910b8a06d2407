import { Failure } from "@modelgate/contracts";
import { bufferForm, type FormLimits, type BufferedForm, type ServiceCall } from "@modelgate/platform";
import { formAsBody, readJson } from "@modelgate/relay";
import { isRecord, refuseAmbiguous, type JsonRecord } from "@modelgate/formats/json";
import { inspectedMembers } from "@modelgate/wires/video";
import type { Deps } from "./deps.ts";

/** The fields of a body, which was JSON or a form. Dispose it when they are no longer needed. */
export interface VideoBody extends Disposable {
  readonly members: JsonRecord;
}

/** Number of copies of an image in memory in addition to the received body: as text, and as sent bytes. */
const copiesInMemory = 2;

/** Reads a JSON object or, if the endpoint accepts it, a form, with its file as a data URL. Throws Failure. */
export async function readVideoBody(deps: Deps, call: ServiceCall): Promise<VideoBody> {
  const { request, endpoint } = call;
  const isForm = /^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "");
  if (!isForm || endpoint.body === "json") return readMembers(deps, call);
  const form = await bufferForm(request, formLimits(deps), call.caller, call.ending);
  return holdBodyCopies(deps, call, { body: form, bytes: form.holding.bytes, read: () => formToMembers(form) });
}

async function readMembers(deps: Deps, call: ServiceCall): Promise<VideoBody> {
  const body = await readJson(call, deps.body, (value, bytes) => {
    if (!isRecord(value)) throw new Failure("invalid_value", "The body must be a JSON object.");
    refuseAmbiguous(bytes, inspectedMembers);
    return value;
  });
  return holdBodyCopies(deps, call, { body, bytes: body.bytes.length, read: () => body.inspected });
}

interface ReceivedBody {
  readonly body: Disposable;
  readonly bytes: number;
  readonly read: () => JsonRecord;
}

/** Returns a body's fields. Copies of its bytes are counted in the memory budget until the result is disposed. */
function holdBodyCopies(deps: Deps, { caller }: ServiceCall, { body, bytes, read }: ReceivedBody): VideoBody {
  const holding = deps.body.budget.openHolding(caller);
  const dispose = (): void => {
    body[Symbol.dispose]();
    holding[Symbol.dispose]();
  };
  try {
    holding.add(copiesInMemory * bytes);
    return { members: read(), [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

const kilobyte = 1024;
/** Maximum bytes of a form's text. OpenAI's SDKs send a data URL as text. */
const fieldBytes = 16 * 1024 * kilobyte;

function formLimits({ body, limits }: Deps): FormLimits {
  return {
    ...body,
    maxBytes: limits.referenceBytes + 256 * kilobyte,
    parts: 32,
    files: 1,
    fieldBytes,
    fieldsBytes: fieldBytes + 128 * kilobyte,
    fileBytes: limits.referenceBytes,
  };
}

function formToMembers({ fields, files }: BufferedForm): JsonRecord {
  const members = new Map<string, string>();
  const addMember = (name: string, value: string): void => {
    if (members.has(name))
      throw new Failure("invalid_value", `${name} appears in the form more than once.`, { param: name });
    members.set(name, value);
  };
  for (const [name, value] of fields) addMember(name, value);
  const names = formAsBody([...members.keys()].map((name) => [name, null]));
  refuseAmbiguous(Buffer.from(JSON.stringify(names)), inspectedMembers);
  for (const { name, contentType, bytes } of files) addMember(name, dataUrl(name, contentType, bytes));
  return formAsBody(members);
}

const imageType = /^image\/[\w.+-]{1,100}$/;

function dataUrl(name: string, contentType: string, bytes: Buffer): string {
  const type = contentType.toLowerCase();
  if (bytes.length === 0) throw new Failure("invalid_value", `${name} is empty.`, { param: name });
  if (!imageType.test(type) && type !== "application/octet-stream")
    throw new Failure("invalid_value", `${name} must be an image, not ${JSON.stringify(type.slice(0, 100))}.`, {
      param: name,
    });
  return `data:${type};base64,${bytes.toString("base64")}`;
}
