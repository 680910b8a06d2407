import { listKeys, type Endpoint } from "./endpoint.ts";

const declared = { area: "edge", errors: "by-request", keys: listKeys, body: "none", unimplemented: true } as const;

/** Declared only, always 501: interface section 4.8. */
export const unimplementedEndpoints = {
  listFineTunes: { ...declared, method: "GET", path: "/v1/fine-tunes", summary: "List fine-tunes." },
  createFineTune: {
    ...declared,
    method: "POST",
    path: "/v1/fine-tunes",
    body: "json",
    schema: "EmptyObject",
    summary: "Create a fine-tune.",
  },
  getFineTune: { ...declared, method: "GET", path: "/v1/fine-tunes/{fine_tune_id}", summary: "A fine-tune's state." },
  cancelFineTune: {
    ...declared,
    method: "POST",
    path: "/v1/fine-tunes/{fine_tune_id}/cancel",
    summary: "Cancel a fine-tune.",
  },
  listFineTuneEvents: {
    ...declared,
    method: "GET",
    path: "/v1/fine-tunes/{fine_tune_id}/events",
    summary: "A fine-tune's events.",
  },
  listFiles: { ...declared, method: "GET", path: "/v1/files", summary: "List files." },
  createFile: {
    ...declared,
    method: "POST",
    path: "/v1/files",
    body: "multipart",
    schema: "FileForm",
    summary: "Upload a file.",
  },
  getFile: { ...declared, method: "GET", path: "/v1/files/{file_id}", summary: "A file's description." },
  deleteFile: { ...declared, method: "DELETE", path: "/v1/files/{file_id}", summary: "Delete a file." },
  getFileContent: { ...declared, method: "GET", path: "/v1/files/{file_id}/content", summary: "A file's content." },
} as const satisfies Record<string, Endpoint>;
