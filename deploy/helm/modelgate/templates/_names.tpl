{{- /* Written by `node deploy/helm/generate/main.ts`: change deploy/helm/generate or deploy/k8s. */}}
{{- define "modelgate.image" -}}
{{- if .image }}{{ .image }}
{{- else }}
{{- with .root.Values.image.registry }}{{ . }}/{{ end }}
{{- .root.Values.image.repository }}/{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "modelgate.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}
{{- else if .Values.gateway.enabled }}https://{{ .Values.gateway.host }}
{{- else if .Values.ingress.enabled }}https://{{ .Values.ingress.host }}
{{- end }}
{{- end }}
