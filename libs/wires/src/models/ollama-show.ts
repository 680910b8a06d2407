import { bodies, Failure, present, type ModelKind } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { firstProblem } from "../json/problem.ts";
import { createdText, modelLists, type ListedModel } from "./lists.ts";

/** What calls of a kind may ask for, in Ollama's words: what a vendor lacks is translated, or dropped and named. */
const capabilities: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  chat: ["completion", "tools", "vision", "thinking"],
  embedding: ["embedding"],
};

/** The answer of /api/show. There is no template and no file of weights; the bounds are those of the catalog. */
export function showOllamaModel(model: ListedModel): Readonly<Record<string, unknown>> {
  const { kind, ownedBy, contextTokens } = model;
  const { details } = modelLists.ollama.one(model);
  return {
    modelfile: "",
    parameters: "",
    template: "",
    license: "",
    modified_at: createdText,
    details,
    model_info: present({
      "general.architecture": ownedBy,
      [`${ownedBy}.context_length`]: contextTokens,
    }),
    capabilities: capabilities[kind] ?? [],
  };
}

const shape = Compile(bodies.OllamaShowRequest);

/** The model that a request of /api/show names. Throws Failure (400) naming the field. */
export function modelOfShow(body: unknown): string {
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  const name = body.model ?? body.name;
  if (name !== undefined) return name;
  throw new Failure("missing_required_parameter", "Missing required parameter: model.", { param: "model" });
}
