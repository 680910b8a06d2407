import { anthropicKeys, geminiKeys, listKeys, type Endpoint } from "./endpoint.ts";

const unimplemented = {
  area: "edge",
  errors: "by-request",
  keys: listKeys,
  body: "none",
  unimplemented: true,
} as const;
const alpha = { ...unimplemented, errors: "alpha", keys: anthropicKeys } as const;
const gamma = { ...unimplemented, errors: "gamma", keys: geminiKeys } as const;
const json = { method: "POST", body: "json", schema: "EmptyObject" } as const;

/** Endpoints that clients' SDKs call and that always answer 501. */
export const unimplementedEndpoints = {
  listFineTunes: { ...unimplemented, method: "GET", path: "/v1/fine-tunes", summary: "List fine-tunes." },
  createFineTune: { ...unimplemented, ...json, path: "/v1/fine-tunes", summary: "Create a fine-tune." },
  getFineTune: {
    ...unimplemented,
    method: "GET",
    path: "/v1/fine-tunes/{fine_tune_id}",
    summary: "A fine-tune's state.",
  },
  cancelFineTune: {
    ...unimplemented,
    method: "POST",
    path: "/v1/fine-tunes/{fine_tune_id}/cancel",
    summary: "Cancel a fine-tune.",
  },
  listFineTuneEvents: {
    ...unimplemented,
    method: "GET",
    path: "/v1/fine-tunes/{fine_tune_id}/events",
    summary: "A fine-tune's events.",
  },
  listFineTuningJobs: {
    ...unimplemented,
    method: "GET",
    path: "/v1/fine_tuning/jobs",
    summary: "List fine-tuning jobs.",
  },
  createFineTuningJob: {
    ...unimplemented,
    ...json,
    path: "/v1/fine_tuning/jobs",
    summary: "Create a fine-tuning job.",
  },
  getFineTuningJob: {
    ...unimplemented,
    method: "GET",
    path: "/v1/fine_tuning/jobs/{job_id}",
    summary: "A fine-tuning job's state.",
  },
  cancelFineTuningJob: {
    ...unimplemented,
    method: "POST",
    path: "/v1/fine_tuning/jobs/{job_id}/cancel",
    summary: "Cancel a fine-tuning job.",
  },
  pauseFineTuningJob: {
    ...unimplemented,
    method: "POST",
    path: "/v1/fine_tuning/jobs/{job_id}/pause",
    summary: "Pause a fine-tuning job.",
  },
  resumeFineTuningJob: {
    ...unimplemented,
    method: "POST",
    path: "/v1/fine_tuning/jobs/{job_id}/resume",
    summary: "Resume a fine-tuning job.",
  },
  listFineTuningCheckpoints: {
    ...unimplemented,
    method: "GET",
    path: "/v1/fine_tuning/jobs/{job_id}/checkpoints",
    summary: "A fine-tuning job's checkpoints.",
  },
  listFineTuningEvents: {
    ...unimplemented,
    method: "GET",
    path: "/v1/fine_tuning/jobs/{job_id}/events",
    summary: "A fine-tuning job's events.",
  },
  listBatches: { ...unimplemented, method: "GET", path: "/v1/batches", summary: "List batches." },
  createBatch: { ...unimplemented, ...json, path: "/v1/batches", summary: "Create a batch." },
  getBatch: { ...unimplemented, method: "GET", path: "/v1/batches/{batch_id}", summary: "A batch's state." },
  cancelBatch: { ...unimplemented, method: "POST", path: "/v1/batches/{batch_id}/cancel", summary: "Cancel a batch." },
  listMessageBatches: { ...alpha, method: "GET", path: "/v1/messages/batches", summary: "List batches of messages." },
  createMessageBatch: { ...alpha, ...json, path: "/v1/messages/batches", summary: "Create a batch of messages." },
  getMessageBatch: {
    ...alpha,
    method: "GET",
    path: "/v1/messages/batches/{batch_id}",
    summary: "The state of a batch of messages.",
  },
  deleteMessageBatch: {
    ...alpha,
    method: "DELETE",
    path: "/v1/messages/batches/{batch_id}",
    summary: "Delete a batch of messages.",
  },
  cancelMessageBatch: {
    ...alpha,
    method: "POST",
    path: "/v1/messages/batches/{batch_id}/cancel",
    summary: "Cancel a batch of messages.",
  },
  getMessageBatchResults: {
    ...alpha,
    method: "GET",
    path: "/v1/messages/batches/{batch_id}/results",
    summary: "The results of a batch of messages.",
  },
  createLiveSession: {
    ...unimplemented,
    ...json,
    path: "/v1/live/sessions",
    summary: "Start a session of GPT-Live over WebRTC. Its sound would not pass through modelgate.",
  },
  listCachedContents: { ...gamma, method: "GET", path: "/v1beta/cachedContents", summary: "List cached contents." },
  createCachedContent: { ...gamma, ...json, path: "/v1beta/cachedContents", summary: "Create a cached content." },
  getCachedContent: {
    ...gamma,
    method: "GET",
    path: "/v1beta/cachedContents/{content_id}",
    summary: "A cached content.",
  },
  updateCachedContent: {
    ...gamma,
    ...json,
    method: "PATCH",
    path: "/v1beta/cachedContents/{content_id}",
    summary: "Change a cached content's expiry.",
  },
  deleteCachedContent: {
    ...gamma,
    method: "DELETE",
    path: "/v1beta/cachedContents/{content_id}",
    summary: "Delete a cached content.",
  },
  listFiles: { ...unimplemented, method: "GET", path: "/v1/files", summary: "List files." },
  createFile: {
    ...unimplemented,
    method: "POST",
    path: "/v1/files",
    body: "multipart",
    schema: "FileForm",
    summary: "Upload a file.",
  },
  getFile: { ...unimplemented, method: "GET", path: "/v1/files/{file_id}", summary: "A file's description." },
  deleteFile: { ...unimplemented, method: "DELETE", path: "/v1/files/{file_id}", summary: "Delete a file." },
  getFileContent: {
    ...unimplemented,
    method: "GET",
    path: "/v1/files/{file_id}/content",
    summary: "A file's content.",
  },
} as const satisfies Record<string, Endpoint>;
