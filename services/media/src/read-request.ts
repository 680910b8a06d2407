import { bufferForm, inTurnsIfLong, type BufferedForm, type Holding, type ServiceCall } from "@modelgate/platform";
import { formAsBody, readJson, refuseVendorIds } from "@modelgate/relay";
import { decodeImages, readImageBody, readImageForm, wires, type ImageRequest } from "@modelgate/wires/images";
import { readEndUser, isRecord, refuseAmbiguous } from "@modelgate/formats/json";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import type { Parsed } from "@modelgate/wires/wire";
import type { Deps } from "./deps.ts";

/** Parsed image request. Dispose it when its images have been sent. */
export interface ImagesBody extends Disposable {
  readonly parsed: Parsed<ImageRequest>;
  /** End user that the request names. */
  readonly endUser: string | undefined;
  /** Memory of the body, to which copies of its images are added. */
  readonly holding: Pick<Holding, "add">;
}

/** Parses an image request: JSON or a form. `prompt` is used if the request has none. Throws Failure. */
export async function readImageRequest(deps: Deps, call: ServiceCall, prompt?: string): Promise<ImagesBody> {
  if (/^multipart\//i.test(call.request.headers["content-type"] ?? "")) return readForm(deps, call, prompt);
  const withPrompt = (body: unknown): unknown => (prompt !== undefined && isRecord(body) ? { prompt, ...body } : body);
  const body = await readJson(call, deps.body, async (value, bytes) => {
    const parsed = readImageBody(withPrompt(value));
    refuseAmbiguous(bytes, wires.images.client.inspectedMembers);
    await refuseVendorIds(deps.relay, call, { dialect: plainDialect, body: value });
    return { ...parsed, endUser: readEndUser(value) };
  });
  try {
    const { endUser, ...parsed } = body.inspected;
    const { holding } = body;
    const request = await inTurnsIfLong(decodeImages(parsed.request));
    return { parsed: { ...parsed, request }, endUser, holding, [Symbol.dispose]: () => body[Symbol.dispose]() };
  } catch (error) {
    body[Symbol.dispose]();
    throw error;
  }
}

async function readForm(deps: Deps, call: ServiceCall, prompt: string | undefined): Promise<ImagesBody> {
  const form = await bufferForm(call.request, deps.form, call.caller, call.ending);
  try {
    const fields = withDeployment(form.fields, call.params["deployment"]);
    const lacksPrompt = !fields.some(([name]) => name === "prompt");
    const added = prompt !== undefined && lacksPrompt ? [["prompt", prompt] as const] : [];
    const parsed = readImageForm({ files: form.files, fields: [...fields, ...added] });
    await refuseVendorIds(deps.relay, call, { dialect: plainDialect, body: formAsBody(fields) });
    return {
      parsed,
      endUser: readEndUser(formAsBody(fields)),
      holding: form.holding,
      [Symbol.dispose]: () => form[Symbol.dispose](),
    };
  } catch (error) {
    form[Symbol.dispose]();
    throw error;
  }
}

function withDeployment(fields: BufferedForm["fields"], model: string | undefined): BufferedForm["fields"] {
  return model === undefined ? fields : [["model", model], ...fields.filter(([name]) => name !== "model")];
}
