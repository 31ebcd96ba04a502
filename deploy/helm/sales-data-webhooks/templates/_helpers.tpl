{{- define "sdw.name" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- /* Labels of one component: dict "root" $ "component" "api". */}}
{{- define "sdw.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "sdw.labels" -}}
{{ include "sdw.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "sdw.image" -}}
{{- $image := .root.Values.image -}}
{{- $kept := ternary .root.Values.api.imageTag "" (eq .component "api") -}}
{{- if $kept -}}
{{ $image.repository }}:{{ $kept }}
{{- else if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{- /* What must hold beyond the types of the values; every template that makes pods asks it. */}}
{{- define "sdw.check" -}}
{{- $v := .Values -}}
{{- $_ := required "secret.name: name the Secret with DATABASE_URL and SECRETS_KEYS" $v.secret.name -}}
{{- $_ := required "temporal.address: set it to host:port of Temporal's frontend" $v.temporal.address -}}
{{- if not (or $v.api.tlsSecret $v.settings.TRUSTED_PROXIES) -}}
{{- fail "api.tlsSecret: API keys travel in requests. Name a Secret of type kubernetes.io/tls, or set settings.TRUSTED_PROXIES to the proxy that ends TLS" -}}
{{- end -}}
{{- if $v.networkPolicy.enabled -}}
{{- range $part := list "database" "temporal" -}}
{{- if not (get $v.networkPolicy $part).to -}}
{{- fail (printf "networkPolicy.%s.to: say where it is, or set networkPolicy.enabled to false" $part) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $v.serviceMonitor.enabled (not (and $v.api.tlsSecret (has "METRICS_TOKEN" $v.secret.keys))) -}}
{{- fail "serviceMonitor: other machines read metrics with a token and through TLS alone: add METRICS_TOKEN to secret.keys, and set api.tlsSecret" -}}
{{- end -}}
{{- if $v.worker.keda.enabled -}}
{{- $_ := required "worker.keda.prometheusAddress: say where Prometheus answers, such as http://prometheus.monitoring:9090" $v.worker.keda.prometheusAddress -}}
{{- end -}}
{{- end }}
