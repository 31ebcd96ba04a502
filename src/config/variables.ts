import Joi from 'joi'
import {
  databaseUrl,
  duration,
  durationOrNever,
  egressProxy,
  firstAttempt,
  hostPort,
  mailSender,
  noticeUrl,
  onOrOff,
  optional,
  parsedBy,
  parseGraces,
  parseSchedule,
  port,
  signingSecret,
  smtpUrl,
  type ValuesOf,
  workerDeployment,
} from './rules.ts'
import { tracingVariables } from './tracing.ts'
import { parseNetworks, parsePeerRanges } from '../domain/net/addresses.ts'
import { DEFAULT_RETRY_SCHEDULE_MS } from '../domain/delivery/backoff.ts'
import { DEFAULT_ROTATION_GRACES_MS } from '../domain/key/rotation.ts'
import { parseKeyRing } from '../domain/sealing/sealing.ts'

/** The rule and the default of each variable; .env.example documents it. */
const RULES = {
  NODE_ENV: Joi.string().allow('').default('development'),
  DATABASE_URL: databaseUrl.required(),
  DATABASE_TLS: optional(onOrOff),
  DATABASE_CA_FILE: optional(Joi.string()),
  HOST: Joi.string().default('127.0.0.1'),
  PORT: port.default(3000),
  API_ADDRESS: optional(hostPort),
  WORKER_HOST: Joi.string().default('127.0.0.1'),
  WORKER_PORT: port.default(3001),
  WORKER_ADDRESS: optional(hostPort),
  PUBLIC_URL: optional(Joi.string().uri({ scheme: ['http', 'https'] })),
  TEMPORAL_UI_URL: optional(Joi.string().uri({ scheme: ['http', 'https'] })),
  TEMPORAL_WORKER_DEPLOYMENT: optional(workerDeployment),
  KEY_PREFIX: Joi.string()
    .pattern(/^[a-z0-9]{8,24}$/)
    .messages({
      'string.pattern.base':
        '{{#label}} must be 8 to 24 lower-case letters or digits: shorter would show too much of a key in its first 24 characters',
    })
    .default('salesdata'),
  SECRETS_KEYS: parsedBy(parseKeyRing).required(),
  WEBHOOK_RETRY_SCHEDULE: parsedBy(parseSchedule).default([...DEFAULT_RETRY_SCHEDULE_MS]),
  WEBHOOK_TIMEOUT: duration({ shortest: '100ms', longest: '10m' }).default(15_000),
  RECORDING_TIMEOUT: duration({ shortest: '1s', longest: '10m' }).default(15_000),
  WEBHOOK_ALLOWED_NETWORKS: parsedBy(parseNetworks).default([]),
  WEBHOOK_CA_FILE: optional(Joi.string()),
  EGRESS_PROXY: optional(egressProxy),
  WEBHOOK_CONCURRENCY: Joi.number().integer().min(1).max(1000).default(10),
  WEBHOOKS_PER_TENANT: Joi.number().integer().min(1).default(1000),
  WEBHOOK_BACKLOG: Joi.number().integer().min(1).default(1_000_000),
  ENDPOINT_DISABLE_AFTER: durationOrNever({ shortest: '1h', longest: '365d' }).default(432_000_000),
  NOTICE_URL: optional(noticeUrl),
  NOTICE_SECRET: optional(signingSecret),
  SMTP_URL: optional(smtpUrl),
  SMTP_FROM: optional(mailSender),
  DELIVERY_FIRST_ATTEMPT: firstAttempt.default('workflow'),
  DIRECT_RETRIES_WITHIN: durationOrNever({ shortest: '100ms', longest: '5m' }, '"5s" or "1m"').default(
    10_000,
  ),
  KEY_ROTATION_GRACES: parsedBy(parseGraces).default(DEFAULT_ROTATION_GRACES_MS),
  TRUSTED_PROXIES: parsedBy(parsePeerRanges).default([]),
  RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(0).default(6000),
  COMPANY_RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(0).default(60_000),
  KEYS_PER_COMPANY: Joi.number().integer().min(1).default(100),
  AUTH_FAILURES_PER_MINUTE: Joi.number().integer().min(0).default(60),
  DENIED_CALLS_PER_MINUTE: Joi.number().integer().min(0).default(60),
  // A batch has up to 100 events: with a smaller quota, some requests could never succeed.
  PUBLISH_PER_MINUTE: Joi.number().integer().min(100).max(1_000_000_000).allow(0).default(0),
  MAX_CONNECTIONS: Joi.number().integer().min(1).max(100_000).default(2_000),
  RECONCILE_AFTER: duration({ shortest: '1s', longest: '7d' }).default(300_000),
  TLS_CERT_FILE: optional(Joi.string()),
  TLS_KEY_FILE: optional(Joi.string()),
  AUDIT_RETENTION_DAYS: Joi.number().integer().min(1).max(36_500).default(400),
  RETENTION_DAYS: Joi.number().integer().min(1).max(3650).default(30),
  SHUTDOWN_GRACE: duration({ shortest: '1s', longest: '1h' }).default(20_000),
  LOG_LEVEL: Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  ...tracingVariables,
  METRICS_TOKEN: optional(Joi.string().min(8)),
  METRICS_PER_COMPANY: onOrOff.default('off'),
}

/**
 * The variables after the schema has parsed them. Durations are in milliseconds; RETENTION_DAYS and AUDIT_RETENTION_DAYS are in
 * days.
 */
export type Variables = ValuesOf<typeof RULES>

/** The schema of all variables, with the rules that span two of them. */
export const variables = Joi.object<Variables>(RULES)
  .and('TLS_CERT_FILE', 'TLS_KEY_FILE')
  .and('NOTICE_URL', 'NOTICE_SECRET')
  .and('SMTP_URL', 'SMTP_FROM')
  .messages({ 'object.and': '{{#present.0}} and {{#missing.0}} go together: set both, or neither' })
  .unknown(true)
