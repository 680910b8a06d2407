/** Text that Helm prints after an installation. */
export const notes = `modelgate {{ .Chart.AppVersion }} runs in the namespace {{ .Release.Namespace }}.

Pods start when the Secrets named in \`secrets\` exist, for example:
{{- $values := dict
  "MODELGATE_SECRET" (quote "$(openssl rand -hex 32)")
  "REDIS_URL" (ternary "redis://:PASSWORD@redis:6379" "ADDRESS" .Values.redis.bundled)
  "CONTENT_REDIS_URL" (ternary "redis://:PASSWORD@redis-content:6379" "ADDRESS" .Values.redisContent.bundled)
  "NATS_URL" (ternary "nats://modelgate:PASSWORD@nats:4222" "ADDRESS" .Values.nats.bundled)
  "BOOKS_URL" (ternary "postgres://modelgate:PASSWORD@postgres:5432/modelgate" "ADDRESS" .Values.postgres.bundled) }}
{{- if or .Values.redis.bundled .Values.redisContent.bundled }}{{ $_ := set $values "REDIS_PASSWORD" "PASSWORD" }}{{ end }}
{{- if .Values.nats.bundled }}{{ $_ := set $values "NATS_PASSWORD" "PASSWORD" }}{{ end }}
{{- if .Values.postgres.bundled }}{{ $_ := set $values "POSTGRES_PASSWORD" "PASSWORD" }}{{ end }}
{{- $secrets := dict }}
{{- range $variable, $value := $values }}
{{- $secret := index $.Values.secrets $variable }}
{{- $literals := get $secrets $secret.name | default list }}
{{- $_ := set $secrets $secret.name (append $literals (printf "--from-literal=%s=%s" $secret.key $value)) }}
{{- end }}
{{- range $name, $literals := $secrets }}

  kubectl -n {{ $.Release.Namespace }} create secret generic {{ $name }}
{{- range $literals }} \\
    {{ . }}
{{- end }}
{{- end }}

The key {{ .Values.secrets.CONTENT_REDIS_URL.key }} may be absent.
{{- with include "modelgate.publicUrl" . }}

Clients call {{ . }}.
{{- else }}

The chart was installed without access from outside. From your machine:

  kubectl -n {{ .Release.Namespace }} port-forward service/edge 8080:8080
{{- end }}
`;
