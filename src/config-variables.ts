import Joi from 'joi'
import { parseDurationMs } from './domain/durations.js'
import { parseNetworks, type AllowedNetwork } from './domain/networks.js'
import { DEFAULT_RETRY_SCHEDULE_MS } from './domain/retry.js'
import { DEFAULT_ROTATION_GRACES_MS, type RotationGrace } from './domain/rotation.js'
import { parseKeyRing, type KeyRing } from './domain/sealing.js'

/** The variables as the schema leaves them; durations in milliseconds. */
export type Variables = {
  NODE_ENV: string
  DATABASE_URL: string
  HOST: string
  PORT: number
  WORKER_HOST: string
  WORKER_PORT: number
  WORKER_ADDRESS?: string
  PUBLIC_URL?: string
  KEY_PREFIX: string
  SECRETS_KEYS: KeyRing
  WEBHOOK_RETRY_SCHEDULE: readonly number[]
  WEBHOOK_TIMEOUT: number
  RECORDING_TIMEOUT: number
  WEBHOOK_ALLOWED_NETWORKS: readonly AllowedNetwork[]
  WEBHOOK_CA_FILE?: string
  WEBHOOK_CONCURRENCY: number
  WEBHOOKS_PER_TENANT: number
  DELIVERY_FIRST_ATTEMPT: DeliveryLane
  KEY_ROTATION_GRACES: Readonly<Record<RotationGrace, number>>
  TRUSTED_PROXIES: readonly AllowedNetwork[]
  RATE_LIMIT_PER_MINUTE: number
  AUTH_FAILURES_PER_MINUTE: number
  RECONCILE_AFTER: number
  TLS_CERT_FILE?: string
  TLS_KEY_FILE?: string
  RETENTION_DAYS: number
  SHUTDOWN_GRACE: number
  LOG_LEVEL: string
  OTEL_EXPORTER_OTLP_ENDPOINT?: string
  METRICS_TOKEN?: string
}

export type DeliveryLane = 'workflow' | 'direct' | 'adaptive'

const duration = Joi.string().custom((text: string, helpers) => {
  const durationMs = parseDurationMs(text)
  return (
    durationMs ??
    helpers.message({ custom: '{{#label}} must be a duration such as "250ms", "5s", "5m" or "2h"' })
  )
})

/** Runs a domain parser that throws on bad text as a joi rule with the parser's own message. */
const parsedBy = (parse: (text: string) => unknown) =>
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

/** The variables with their rules and defaults; .env.example documents each. */
export const variables = Joi.object<Variables>({
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
  RECORDING_TIMEOUT: duration.default(15_000),
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
