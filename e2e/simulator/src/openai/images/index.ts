import { headerOf, type EndpointCall, type Endpoint, type ParsedRequest } from "../../vendor.ts";
import { readEdit, readGeneration, type ImagesRequest } from "./read.ts";
import { renderImages, streamImages } from "./render.ts";

export const imageGenerations: Endpoint = {
  method: "POST",
  path: /^\/v1\/images\/generations$/,
  open: (asking) => answerRequest(readGeneration(asking.body), asking, "generation"),
};

export const imageEdits: Endpoint = {
  method: "POST",
  path: /^\/v1\/images\/edits$/,
  open: (asking) => answerRequest(readEdit(asking.form), asking, "edit"),
};

function answerRequest(request: ImagesRequest, { headers }: EndpointCall, act: "generation" | "edit"): ParsedRequest {
  return {
    directive: request.question.directive,
    whole: (behaviour) => renderImages(request, behaviour, headerOf(headers, "host")),
    streamed: request.stream ? (behaviour) => streamImages(request, behaviour, act) : undefined,
  };
}
