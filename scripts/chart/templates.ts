/** The ConfigMap with the variables of all roles. */
export const configTemplate = `apiVersion: v1
kind: ConfigMap
metadata:
  name: ply
  labels:
    app.kubernetes.io/name: ply
    app.kubernetes.io/part-of: ply
    app.kubernetes.io/managed-by: {{ .Release.Service }}
data:
  PLY_PUBLIC_URL: {{ .Values.publicUrl | default (printf "https://%s" .Values.host) | quote }}
  {{- with .Values.trustedProxies }}
  PLY_TRUSTED_PROXIES: {{ . | quote }}
  {{- end }}
  {{- with .Values.tracing.url }}
  PLY_OTLP_URL: {{ . | quote }}
  {{- end }}
  {{- range $name, $value := .Values.environment }}
  {{ $name }}: {{ $value | quote }}
  {{- end }}
`;

/** The alerts for the Prometheus operator. */
export const ruleTemplate = `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: ply
  labels:
    app.kubernetes.io/name: ply
    {{- with .Values.monitoring.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- .Files.Get "files/rules.yaml" | nindent 2 }}
`;

/** A ConfigMap for each dashboard, for Grafana's sidecar. */
export const dashboardTemplate = `{{- range $path, $_ := .Files.Glob "files/dashboards/*.json" }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: dashboard-{{ base $path | trimSuffix ".json" }}
  labels:
    grafana_dashboard: "1"
data:
  {{ base $path }}: |-
    {{- $.Files.Get $path | nindent 4 }}
{{- end }}
`;

/** The values that no manifest has, with their meaning. */
export const valuesHead = `# Values of the chart; docs/operations.md describes the installation. Addresses of stores and keys are in Secrets, which the
# chart does not make.
image:
  repository: registry.example/ply
  # The version of the chart, unless set.
  tag: ""
  pullPolicy: IfNotPresent
# The host name of the API.
host: api.ply.example
# Where clients reach the API: https://<host>, unless set.
publicUrl: ""
# Addresses of the ingress controller's pods, comma separated; their X-Forwarded-For is believed.
trustedProxies: ""
secrets:
  ply: ply
  bootstrap: ply-bootstrap
# Namespaces of what Ply talks to, for the network policies.
namespaces:
  stores: ply-stores
  ingress: ingress
  monitoring: monitoring
ingress:
  enabled: true
  className: traefik
  annotations: {}
  # The Secret with the certificate; none serves HTTP.
  tlsSecret: api-tls
# A route of the Gateway API instead of an Ingress: set ingress.enabled to false.
gateway:
  enabled: false
  name: public
  namespace: ingress
  sectionName: https
autoscaling:
  # Gateways and searchers by CPU usage; needs the metrics server.
  cpu: true
  # Extractors, transcribers and embedders by waiting jobs, encoders by waiting minutes of film; needs KEDA.
  queue: false
  prometheus: http://prometheus.monitoring.svc:9090
monitoring:
  # A PodMonitor and a PrometheusRule; needs the Prometheus operator.
  operator: false
  # Labels by which it selects rules, such as release.
  labels: {}
  # ConfigMaps for Grafana's sidecar.
  dashboards: false
# Egress by HTTPS for the roles that use a model server on the Internet.
modelServers:
  enabled: false
tracing:
  # Address of an OpenTelemetry collector in the namespace of the monitoring; none switches tracing off.
  url: ""
`;
