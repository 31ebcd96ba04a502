import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig'
import Joi from 'joi'
import { parseNetworks, type AllowedNetwork } from './domain/networks.js'
import { parseDurationMs } from './domain/durations.js'
import { DEFAULT_RETRY_SCHEDULE_MS } from './domain/retry.js'
import { parseKeyRing, type KeyRing } from './domain/sealing.js'
import { DEFAULT_ROTATION_GRACES_MS, type RotationGrace } from './domain/rotation.js'

export type DeliveryLane = 'workflow' | 'direct' | 'adaptive'

export type TemporalConfig = {
  readonly connectionOptions: ClientConnectConfig['connectionOptions']
  readonly namespace: string
}

/** Everything the processes read from their environment, checked and frozen. Durations in milliseconds. */
export type Config = {
  readonly production: boolean
  readonly databaseUrl: string
  /** Connection options and namespace, as @temporalio/envconfig reads them (TEMPORAL_ADDRESS and the rest). */
  readonly temporal: TemporalConfig
  readonly host: string
  readonly port: number
  readonly workerHost: string
  readonly workerPort: number
  readonly workerAddress: string
  readonly publicUrl: string
  readonly keyPrefix: string
  readonly secretsKeys: KeyRing
  readonly webhookRetryScheduleMs: readonly number[]
  readonly webhookTimeoutMs: number
  readonly webhookAllowedNetworks: readonly AllowedNetwork[]
  readonly webhookCaFile: string | undefined
  readonly webhookConcurrency: number
  readonly webhooksPerTenant: number
  readonly deliveryFirstAttempt: DeliveryLane
  readonly rotationGracesMs: Readonly<Record<RotationGrace, number>>
  readonly trustedProxies: readonly AllowedNetwork[]
  readonly rateLimitPerMinute: number
  readonly authFailuresPerMinute: number
  readonly reconcileAfterMs: number
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly retentionDays: number
  readonly shutdownGraceMs: number
  readonly logLevel: string
  readonly metricsToken: string | undefined
}

/** All faults of a configuration at once; the processes print them and exit 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

const duration = Joi.string().custom((text: string, helpers) => {
  const durationMs = parseDurationMs(text)
  return (
    durationMs ??
    helpers.message({ custom: '{{#label}} must be a duration such as "250ms", "5s", "5m" or "2h"' })
  )
})

/** Runs a domain parser that throws on bad text as a joi rule with the parser's own message. */
const parsedBy = <T>(parse: (text: string) => T) =>
  Joi.string()
    .allow('')
    .custom((text: string, helpers) => {
      try {
        return parse(text)
      } catch (error) {
        return helpers.message({ custom: `{{#label}}: ${(error as Error).message.replaceAll('{', '(')}` })
      }
    })

const port = Joi.number().integer().min(1).max(65535)

function parseSchedule(text: string): number[] {
  const delays = text.split(',').map((part) => parseDurationMs(part))
  if (delays.length > 10 || delays.some((delay) => delay === undefined || delay < 1)) {
    throw new Error('must be 1 to 10 durations separated by commas, such as "5s,5m,30m"')
  }
  return delays as number[]
}

function parseGraces(text: string): Record<RotationGrace, number> {
  const graces: Record<RotationGrace, number> = { ...DEFAULT_ROTATION_GRACES_MS }
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [name, value] = entry.trim().split('=')
    const valueMs = parseDurationMs(value ?? '')
    if (!name || !(name in graces) || valueMs === undefined) throw new Error('must look like "1h=3s,6h=4s"')
    graces[name as RotationGrace] = valueMs
  }
  return graces
}

const schema = Joi.object({
  NODE_ENV: Joi.string().allow('').default('development'),
  DATABASE_URL: Joi.string()
    .pattern(/^mysql:\/\/[^@/]+@[^/]+\/[A-Za-z0-9_]+$/)
    .required()
    .messages({
      'string.pattern.base': '{{#label}} must look like mysql://user:password@host:port/database',
    }),
  HOST: Joi.string().default('127.0.0.1'),
  PORT: port.default(3000),
  WORKER_HOST: Joi.string().default('127.0.0.1'),
  WORKER_PORT: port.default(3001),
  WORKER_ADDRESS: Joi.string().pattern(/^.+:\d+$/),
  PUBLIC_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
  KEY_PREFIX: Joi.string()
    .pattern(/^[a-z0-9]{8,24}$/)
    .messages({
      'string.pattern.base':
        '{{#label}} must be 8 to 24 lower-case letters or digits: shorter would show too much of a key in its first 24 characters',
    })
    .default('salesdata'),
  SECRETS_KEYS: parsedBy(parseKeyRing).required(),
  WEBHOOK_RETRY_SCHEDULE: parsedBy(parseSchedule).default([...DEFAULT_RETRY_SCHEDULE_MS]),
  WEBHOOK_TIMEOUT: duration.default(15_000),
  WEBHOOK_ALLOWED_NETWORKS: parsedBy(parseNetworks).default([]),
  WEBHOOK_CA_FILE: Joi.string(),
  WEBHOOK_CONCURRENCY: Joi.number().integer().min(1).max(1000).default(10),
  WEBHOOKS_PER_TENANT: Joi.number().integer().min(1).default(1000),
  DELIVERY_FIRST_ATTEMPT: Joi.string().valid('workflow').default('workflow').messages({
    'any.only': '{{#label}} must be "workflow"; the lanes "direct" and "adaptive" are not available yet',
  }),
  KEY_ROTATION_GRACES: parsedBy(parseGraces).default(DEFAULT_ROTATION_GRACES_MS),
  TRUSTED_PROXIES: parsedBy(parseNetworks).default([]),
  RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(0).default(6000),
  AUTH_FAILURES_PER_MINUTE: Joi.number().integer().min(0).default(60),
  RECONCILE_AFTER: duration.default(300_000),
  TLS_CERT_FILE: Joi.string(),
  TLS_KEY_FILE: Joi.string(),
  RETENTION_DAYS: Joi.number().integer().min(1).max(3650).default(30),
  SHUTDOWN_GRACE: duration.default(20_000),
  LOG_LEVEL: Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string().uri(),
  METRICS_TOKEN: Joi.string().min(8),
})
  .and('TLS_CERT_FILE', 'TLS_KEY_FILE')
  .unknown(true)

type Values = Record<string, never>

/** Rules that span several variables. */
function crossFaults(values: Values): string[] {
  const faults: string[] = []
  const isProduction = values['NODE_ENV'] === 'production'
  if (isProduction && values['KEY_ROTATION_GRACES'] !== DEFAULT_ROTATION_GRACES_MS) {
    faults.push('KEY_ROTATION_GRACES is for tests and is refused when NODE_ENV=production')
  }
  const isLoopback = ['127.0.0.1', '::1', 'localhost'].includes(values['HOST'] ?? '')
  const hasProxies = ((values['TRUSTED_PROXIES'] ?? []) as unknown[]).length > 0
  if (!isLoopback && !hasProxies && values['TLS_CERT_FILE'] === undefined) {
    faults.push(
      'HOST is not a loopback address: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXIES when a proxy ends TLS',
    )
  }
  return faults
}

/**
 * Reads and checks the environment.
 *
 * @throws ConfigError listing every fault
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const known = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const { error, value } = schema.validate(known, { abortEarly: false, errors: { wrap: { label: false } } })
  const values = value as Values
  const faults = (error?.details.map((detail) => detail.message) ?? []).concat(
    error ? [] : crossFaults(values),
  )
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(toConfig(values, readTemporal(environment)))
}

function readTemporal(environment: NodeJS.ProcessEnv): TemporalConfig {
  try {
    const overrideEnvVars = Object.fromEntries(
      Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars })
    return { connectionOptions, namespace: namespace ?? 'default' }
  } catch (error) {
    throw new ConfigError([`TEMPORAL_*: ${(error as Error).message}`])
  }
}

function toConfig(v: Values, temporal: TemporalConfig): Config {
  const scheme = v['TLS_CERT_FILE'] === undefined ? 'http' : 'https'
  return {
    production: v['NODE_ENV'] === 'production',
    databaseUrl: v['DATABASE_URL']!,
    temporal,
    host: v['HOST']!,
    port: v['PORT']!,
    workerHost: v['WORKER_HOST']!,
    workerPort: v['WORKER_PORT']!,
    workerAddress: v['WORKER_ADDRESS'] ?? `${String(v['WORKER_HOST'])}:${String(v['WORKER_PORT'])}`,
    publicUrl: v['PUBLIC_URL'] ?? `${scheme}://${String(v['HOST'])}:${String(v['PORT'])}`,
    keyPrefix: v['KEY_PREFIX']!,
    secretsKeys: v['SECRETS_KEYS']!,
    webhookRetryScheduleMs: v['WEBHOOK_RETRY_SCHEDULE']!,
    webhookTimeoutMs: v['WEBHOOK_TIMEOUT']!,
    webhookAllowedNetworks: v['WEBHOOK_ALLOWED_NETWORKS']!,
    webhookCaFile: v['WEBHOOK_CA_FILE'],
    webhookConcurrency: v['WEBHOOK_CONCURRENCY']!,
    webhooksPerTenant: v['WEBHOOKS_PER_TENANT']!,
    deliveryFirstAttempt: v['DELIVERY_FIRST_ATTEMPT']!,
    rotationGracesMs: v['KEY_ROTATION_GRACES']!,
    trustedProxies: v['TRUSTED_PROXIES']!,
    rateLimitPerMinute: v['RATE_LIMIT_PER_MINUTE']!,
    authFailuresPerMinute: v['AUTH_FAILURES_PER_MINUTE']!,
    reconcileAfterMs: v['RECONCILE_AFTER']!,
    tls:
      v['TLS_CERT_FILE'] === undefined
        ? undefined
        : { certFile: v['TLS_CERT_FILE'], keyFile: v['TLS_KEY_FILE']! },
    retentionDays: v['RETENTION_DAYS']!,
    shutdownGraceMs: v['SHUTDOWN_GRACE']!,
    logLevel: v['LOG_LEVEL']!,
    metricsToken: v['METRICS_TOKEN'],
  }
}
