/** What Helm prints after an install: the Secrets that must be there, and how to reach the gateway. */
export const notes = `modelgate {{ .Chart.AppVersion }} runs in the namespace {{ .Release.Namespace }}.

Pods start once the Secrets are there that \`secrets\` names, for example:

  kubectl -n {{ .Release.Namespace }} create secret generic {{ .Values.secrets.MODELGATE_SECRET.name }} \\
    --from-literal={{ .Values.secrets.MODELGATE_SECRET.key }}="$(openssl rand -hex 32)" \\
    --from-literal={{ .Values.secrets.REDIS_URL.key }}={{ if .Values.redis.bundled }}redis://redis:6379{{ else }}ADDRESS{{ end }} \\
    --from-literal={{ .Values.secrets.NATS_URL.key }}={{ if .Values.nats.bundled }}nats://nats:4222{{ else }}ADDRESS{{ end }}
{{- if .Values.books.enabled }}

The ledger wants the key {{ .Values.secrets.BOOKS_URL.key }} in the Secret {{ .Values.secrets.BOOKS_URL.name }}, too:
{{ if .Values.postgres.bundled }}postgres://modelgate@postgres:5432/modelgate{{ else }}the address of PostgreSQL{{ end }}.
{{- end }}
{{- with include "modelgate.publicUrl" . }}

Clients call {{ . }}.
{{- else }}

No way in is made. From your machine:

  kubectl -n {{ .Release.Namespace }} port-forward service/edge 8080:8080
{{- end }}
`;
