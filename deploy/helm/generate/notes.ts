/** Text that Helm prints after an installation. */
export const notes = `modelgate {{ .Chart.AppVersion }} runs in the namespace {{ .Release.Namespace }}.

Pods start when the Secrets named in \`secrets\` exist, for example:

  kubectl -n {{ .Release.Namespace }} create secret generic {{ .Values.secrets.MODELGATE_SECRET.name }} \\
    --from-literal={{ .Values.secrets.MODELGATE_SECRET.key }}="$(openssl rand -hex 32)" \\
    --from-literal={{ .Values.secrets.REDIS_URL.key }}={{ if .Values.redis.bundled }}redis://:PASSWORD@redis:6379{{ else }}ADDRESS{{ end }} \\
    --from-literal={{ .Values.secrets.CONTENT_REDIS_URL.key }}={{ if .Values.redisContent.bundled }}redis://:PASSWORD@redis-content:6379{{ else }}ADDRESS{{ end }} \\
    --from-literal={{ .Values.secrets.NATS_URL.key }}={{ if .Values.nats.bundled }}nats://modelgate:PASSWORD@nats:4222{{ else }}ADDRESS{{ end }} \\
    --from-literal={{ .Values.secrets.BOOKS_URL.key }}={{ if .Values.postgres.bundled }}postgres://modelgate:PASSWORD@postgres:5432/modelgate{{ else }}ADDRESS{{ end }}

The key {{ .Values.secrets.CONTENT_REDIS_URL.key }} may be absent. Bundled servers take their passwords from the keys REDIS_PASSWORD,
NATS_PASSWORD and POSTGRES_PASSWORD.
{{- with include "modelgate.publicUrl" . }}

Clients call {{ . }}.
{{- else }}

The chart was installed without access from outside. From your machine:

  kubectl -n {{ .Release.Namespace }} port-forward service/edge 8080:8080
{{- end }}
`;
