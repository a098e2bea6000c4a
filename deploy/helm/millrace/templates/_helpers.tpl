{{- define "millrace.name" -}}
{{- if contains "millrace" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-millrace" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "millrace.selector" -}}
app.kubernetes.io/name: millrace
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "millrace.labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* Variable, and the key of the secret that a file of its name is. */}}
{{- define "millrace.secretFiles" -}}
{{- $keys := .root.Values.secret.keys -}}
MILLRACE_SECRET_KEY_FILE: {{ $keys.secretKey }}
CLICKHOUSE_URL_FILE: {{ $keys.clickHouseUrl }}
EVENTSTORE_URL_FILE: {{ $keys.eventStoreUrl }}
{{- with $keys.kafkaSaslPassword }}
KAFKA_SASL_PASSWORD_FILE: {{ . }}
{{- end }}
{{- if eq .role "api" }}
{{- with $keys.clickHouseBackups }}
CLICKHOUSE_BACKUPS_FILE: {{ . }}
{{- end }}
{{- with $keys.rootPassword }}
MILLRACE_ROOT_PASSWORD_FILE: {{ . }}
{{- end }}
{{- with $keys.awsAccessKeyId }}
AWS_ACCESS_KEY_ID_FILE: {{ . }}
{{- end }}
{{- with $keys.awsSecretAccessKey }}
AWS_SECRET_ACCESS_KEY_FILE: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "millrace.variables" -}}
{{- $values := .root.Values -}}
MILLRACE_ROLES: {{ .role }}
# A volume's own folder belongs to root, and the data directory to its process alone.
MILLRACE_DATA_DIR: /data/millrace
# Where probes and Prometheus ask; nothing leads there from outside.
MILLRACE_STATUS_ADDR: 0.0.0.0:9464
EVENTSTORE_NAMESPACE: {{ $values.eventStore.namespace }}
KAFKA_BROKERS: {{ join "," $values.kafka.brokers }}
KAFKA_NAMESPACE: {{ $values.kafka.namespace }}
KAFKA_SECURITY_PROTOCOL: {{ $values.kafka.securityProtocol }}
{{- with $values.kafka.saslMechanism }}
KAFKA_SASL_MECHANISM: {{ . }}
{{- end }}
{{- with $values.kafka.saslUsername }}
KAFKA_SASL_USERNAME: {{ . }}
{{- end }}
{{- with $values.clickHouse.cluster }}
CLICKHOUSE_CLUSTER: {{ . }}
{{- end }}
{{- if eq .role "api" }}
MILLRACE_HTTP_ADDR: 0.0.0.0:5080
MILLRACE_DRAIN_SECONDS: {{ .values.drainSeconds }}
{{- with .values.trustedProxies }}
MILLRACE_TRUSTED_PROXIES: {{ join "," . }}
{{- end }}
{{- if .values.clickHouseClients.enabled }}
MILLRACE_CLICKHOUSE_ADDR: 0.0.0.0:{{ .values.clickHouseClients.port }}
{{- end }}
{{- end }}
{{- end }}

{{/* root, role and the role's values. */}}
{{- define "millrace.process" -}}
{{- $values := .root.Values -}}
{{- $name := printf "%s-%s" (include "millrace.name" .root) .role -}}
{{- $files := include "millrace.secretFiles" . | fromYaml -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}-pods
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  # Each process by its own name, for Prometheus.
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {{- include "millrace.selector" . | nindent 4 }}
  ports:
    - { name: status, port: 9464, targetPort: status }
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ $name }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  serviceName: {{ $name }}-pods
  {{- if not (and (hasKey .values "autoscaling") .values.autoscaling.enabled) }}
  replicas: {{ default 1 .values.replicas }}
  {{- end }}
  podManagementPolicy: Parallel
  selector:
    matchLabels: {{- include "millrace.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "millrace.labels" . | nindent 8 }}
    spec:
      # It asks nothing of Kubernetes, and wants no variables about services.
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with $values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      # A stop takes up to 25 s after the draining.
      terminationGracePeriodSeconds: {{ add (default 0 .values.drainSeconds) 40 }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        # Else every start would open all files to the group, and the process close them again.
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile: { type: RuntimeDefault }
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "millrace.selector" . | nindent 14 }}
      {{- with $values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: millrace
          image: {{ printf "%s:%s" $values.image.repository (default .root.Chart.AppVersion $values.image.tag) | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args: [serve]
          env:
            {{- range $variable, $value := mergeOverwrite (include "millrace.variables" . | fromYaml) $values.env .values.env }}
            - name: {{ $variable }}
              value: {{ $value | toString | quote }}
            {{- end }}
            {{- range $variable, $key := $files }}
            - name: {{ $variable }}
              value: /run/secrets/millrace/{{ $key }}
            {{- end }}
          ports:
            {{- if eq .role "api" }}
            - { name: http, containerPort: 5080 }
            {{- if .values.clickHouseClients.enabled }}
            - { name: clickhouse, containerPort: {{ .values.clickHouseClients.port }} }
            {{- end }}
            {{- end }}
            - { name: status, containerPort: 9464 }
          # A start reads the events since the last snapshot, or all there are.
          startupProbe:
            httpGet: { path: /healthz, port: status }
            periodSeconds: 5
            timeoutSeconds: 4
            failureThreshold: 120
          # Says nothing of stores, whose loss no restart mends.
          livenessProbe:
            httpGet: { path: /healthz, port: status }
            periodSeconds: 10
            timeoutSeconds: 4
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: status }
            periodSeconds: 2
            timeoutSeconds: 4
            failureThreshold: 2
          resources: {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
            - { name: secret, mountPath: /run/secrets/millrace, readOnly: true }
      volumes:
        - name: tmp
          emptyDir: {}
        - name: secret
          secret:
            secretName: {{ $values.secret.name }}
            defaultMode: 0440
            items:
              {{- range $key := values $files | uniq | sortAlpha }}
              - { key: {{ $key }}, path: {{ $key }} }
              {{- end }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .values.storage.className }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests:
            storage: {{ .values.storage.size }}
{{- with .values.disruptionBudget }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels: {{- include "millrace.labels" $ | nindent 4 }}
spec: {{- toYaml . | nindent 2 }}
  selector:
    matchLabels: {{- include "millrace.selector" $ | nindent 6 }}
{{- end }}
{{- end }}

{{/* root, role, its values, and what is measured. */}}
{{- define "millrace.autoscaler" -}}
{{- $name := printf "%s-%s" (include "millrace.name" .root) .role -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels: {{- include "millrace.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: StatefulSet, name: {{ $name }} }
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  # A process that goes hands its work over, and a peak may come back.
  behavior:
    scaleDown: { stabilizationWindowSeconds: 600 }
  metrics: {{- toYaml .metrics | nindent 4 }}
{{- end }}
