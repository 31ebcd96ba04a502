import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { run } from '../../scripts/lib/commands.ts'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { requiredEnv } from '../support/environment.ts'
import type { Json } from '../support/tenants.ts'
import { words } from '../support/words.ts'

export const CHART = path.join(ROOT, 'deploy/helm/sales-data-webhooks')
export const RELEASE = 'shop'

/** The values that the chart requires. */
export const LEAST = {
  secret: { name: 'shop-settings' },
  temporal: { address: 'temporal-frontend.temporal:7233' },
  api: { tlsSecret: 'shop-tls' },
  networkPolicy: {
    database: { to: [{ ipBlock: { cidr: '10.0.3.7/32' } }] },
    temporal: { to: [{ namespaceSelector: { matchLabels: { name: 'temporal' } } }] },
  },
}

/** Values that turn on every feature of the chart. */
export const EVERYTHING = {
  ...LEAST,
  image: { digest: `sha256:${'0'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  secret: {
    name: 'shop-settings',
    keys: words(`
      DATABASE_URL SECRETS_KEYS METRICS_TOKEN NOTICE_URL NOTICE_SECRET SMTP_URL EGRESS_PROXY
      OTEL_EXPORTER_OTLP_HEADERS TEMPORAL_API_KEY
    `),
  },
  settings: {
    WEBHOOK_BACKLOG: 5_000_000,
    WEBHOOK_TIMEOUT: '10s',
    PUBLIC_URL: 'https://api.example.com',
    METRICS_PER_COMPANY: 'on',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
    SMTP_FROM: 'Sales data <webhooks@example.com>',
    DIRECT_RETRIES_WITHIN: 0,
  },
  shutdownGraceSeconds: 40,
  listenOn: '::',
  extraEnv: [{ name: 'TEMPORAL_TLS', value: 'true' }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
  podAnnotations: { note: 'a' },
  nodeSelector: { pool: 'services' },
  tolerations: [{ key: 'services', operator: 'Exists' }],
  priorityClassName: 'high',
  migrate: { secret: 'shop-migration' },
  worker: {
    keda: { enabled: true, prometheusAddress: 'http://prometheus:9090', temporalAuthentication: 'temporal' },
  },
  networkPolicy: {
    ...LEAST.networkPolicy,
    collector: { to: [{ podSelector: {} }] },
    apiFrom: [{ namespaceSelector: {} }],
    metricsFrom: [{ namespaceSelector: {} }],
    workerEgress: [{ to: [{ ipBlock: { cidr: '10.9.0.0/16' } }] }],
  },
  serviceMonitor: {
    enabled: true,
    labels: { prometheus: 'main' },
    apiTlsConfig: { serverName: 'api.example.com' },
  },
}

/** The output of `helm lint` or `helm template` for the chart with these values. */
export async function helm(command: 'lint' | 'template', file: string, ...args: readonly string[]) {
  const named = command === 'template' ? [RELEASE] : []
  return run(requiredEnv('TEST_HELM'), [command, ...named, CHART, '--values', file, ...args])
}

/** Renders the chart with the values of a file. @throws AssertionError with what Helm printed */
export async function render(file: string, ...args: readonly string[]): Promise<Json[]> {
  const { code, output, stdout } = await helm('template', file, '--kube-version', '1.35.0', ...args)
  expect(code, output).to.equal(0)
  // Kubernetes reads YAML 1.1, where 0440 is octal.
  const documents = parseAllDocuments(stdout, { version: '1.1' })
  return documents.map((document): Json => document.toJS()).filter((resource) => resource !== null)
}

const KUBERNETES = JSON.parse(
  readFileSync(path.join(ROOT, 'test/support/kubernetes-1.35.json'), 'utf8'),
) as object
const GROUPS: Record<string, string> = {
  'apps/v1': 'apps.v1',
  'batch/v1': 'batch.v1',
  'autoscaling/v2': 'autoscaling.v2',
  'policy/v1': 'policy.v1',
  'networking.k8s.io/v1': 'networking.v1',
  v1: 'core.v1',
}

/** @returns a function that lists what Kubernetes 1.35, KEDA or the Prometheus operator would refuse, also unknown fields */
export async function createCheck(): Promise<(resource: Json) => string[]> {
  const formats = { int32: true, int64: true, 'date-time': true, double: true, byte: true } as const
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats }).addSchema(KUBERNETES, 'kubernetes')
  const models = requiredEnv('TEST_KUBERNETES_MODELS')
  const custom: Record<string, new (resource: Json) => { validate(): void }> = {
    ...(await import(path.join(models, 'keda/keda.sh/v1alpha1/ScaledObject.js'))),
    ...(await import(path.join(models, 'prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor.js'))),
  }
  return (resource) => {
    const { apiVersion, kind } = resource
    const Model = custom[kind]
    if (Model) return faultsOf(() => new Model(resource).validate())
    ajv.validate({ $ref: `kubernetes#/$defs/io.k8s.api.${GROUPS[apiVersion]}.${kind}` }, resource)
    return (ajv.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}

function faultsOf(work: () => void): string[] {
  try {
    work()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}
