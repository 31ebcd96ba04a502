{{- /* The parts of a pod that api, worker and migration share: dict "root" $ "component" "api" "databaseSecret" <name of a Secret>. */}}

{{- define "sdw.podSettings" -}}
automountServiceAccountToken: false
# Variables that Kubernetes makes of Services, such as WORKER_PORT of one that is called worker, would be read as settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  - name: settings
    projected:
      defaultMode: 0440
      sources:
        - secret:
            name: {{ .databaseSecret }}
            items:
              - { key: DATABASE_URL, path: DATABASE_URL }
        - secret:
            name: {{ .root.Values.secret.name }}
            items:
            {{- range without .root.Values.secret.keys "DATABASE_URL" }}
              - { key: {{ . }}, path: {{ . }} }
            {{- end }}
{{- if and (eq .component "api") .root.Values.api.tlsSecret }}
  - name: tls
    secret: { secretName: {{ .root.Values.api.tlsSecret }}, defaultMode: 0440 }
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{- define "sdw.spread" -}}
topologySpreadConstraints:
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "sdw.selector" $ | nindent 8 }}
{{- end }}
{{- end }}

{{- define "sdw.container" -}}
image: {{ include "sdw.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{ get .root.Values .component | dig "resources" (dict) | toJson }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: settings, mountPath: /etc/sales-data-webhooks/settings, readOnly: true }
{{- if and (eq .component "api") .root.Values.api.tlsSecret }}
  - { name: tls, mountPath: /etc/sales-data-webhooks/tls, readOnly: true }
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{- define "sdw.env" -}}
- name: POD_IP
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
- { name: TEMPORAL_ADDRESS, value: {{ .root.Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .root.Values.temporal.namespace | quote }} }
- { name: SHUTDOWN_GRACE, value: {{ printf "%ds" (int .root.Values.shutdownGraceSeconds) }} }
{{- range .root.Values.secret.keys }}
- { name: {{ . }}_FILE, value: /etc/sales-data-webhooks/settings/{{ . }} }
{{- end }}
{{- range $name, $value := .root.Values.settings }}
{{- /* A number of YAML is a float here, and a million would be written 1e+06. */}}
- { name: {{ $name }}, value: {{ ternary (int64 $value) $value (kindIs "float64" $value) | toString | quote }} }
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* dict "scheme" "HTTP": the api answers once its database is there, for which a boot waits a minute. */}}
{{- define "sdw.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http, scheme: {{ .scheme }} }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 45
livenessProbe:
  httpGet: { path: /healthz, port: http, scheme: {{ .scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http, scheme: {{ .scheme }} }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
