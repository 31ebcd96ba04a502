import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig'
import type { ValidationErrorItem } from 'joi'
import { addFileSettings, checkDatabaseCaFile, type FileCheck, type Settings } from './files.ts'
import { formatHostPort, isLoopbackHost } from '../domain/net/host-port.ts'
import { toTracing } from './tracing.ts'
import { variables, type Variables } from './variables.ts'

type TemporalConfig = Pick<ClientConnectConfig, 'connectionOptions'> & { readonly namespace: string }

/** Everything the processes read from their environment, checked and frozen. Durations in milliseconds. */
export type Config = Readonly<ReturnType<typeof toConfig>>

/** All faults of a configuration at once. The processes print them and exit with code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** Checks the rules that span several variables. */
function crossFaults(v: Variables, isSet: (name: keyof Variables) => boolean): string[] {
  const faults: string[] = []
  if (v.NODE_ENV === 'production' && isSet('KEY_ROTATION_GRACES')) {
    faults.push('KEY_ROTATION_GRACES is for tests and is refused when NODE_ENV=production')
  }
  if (v.DATABASE_TLS === 'off' && v.DATABASE_CA_FILE !== undefined) {
    faults.push('DATABASE_CA_FILE has no use with DATABASE_TLS=off: set one of them')
  }
  if (!isLoopbackHost(v.HOST) && v.TRUSTED_PROXIES.length === 0 && v.TLS_CERT_FILE === undefined) {
    faults.push(
      'HOST is not a loopback address: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUSTED_PROXIES when a proxy ends TLS',
    )
  }
  return faults
}

/**
 * Reads and checks the environment. A variable with an empty value counts as not set.
 *
 * @param environment the variables; by default, the process's own
 * @param checkFiles checks the files that the process will read
 * @throws ConfigError listing every fault
 */
export function readConfig(environment = process.env, checkFiles: FileCheck = () => []): Config {
  const { settings: known, faults: fileFaults } = addFileSettings(
    Object.fromEntries(
      Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
    ),
  )
  const result = variables.validate(known, { abortEarly: false, errors: { wrap: { label: false } } })
  const temporal = readTemporal(known)
  const faults = [
    ...fileFaults,
    ...(result.error
      ? result.error.details.filter(hasNoFile(known)).map(({ message }) => message)
      : crossFaults(result.value, (name) => name in known)),
    ...checkDatabaseCaFile(known),
    ...checkFiles(known),
    ...('fault' in temporal ? [temporal.fault] : []),
  ]
  if (faults.length > 0 || 'fault' in temporal) throw new ConfigError(faults)
  return Object.freeze(toConfig(result.value as Variables, temporal))
}

/** Drops "is required" for a setting whose file cannot be read, because the file has an error of its own. */
const hasNoFile =
  (known: Settings) =>
  ({ path, type }: ValidationErrorItem): boolean =>
    type !== 'any.required' || !(`${path.join('.')}_FILE` in known)

/**
 * Whether connections to the database use TLS. If DATABASE_TLS is not set, they use TLS if the database is on another
 * machine, or if DATABASE_CA_FILE is set.
 */
const usesDatabaseTls = ({ DATABASE_URL, DATABASE_TLS, DATABASE_CA_FILE }: Variables): boolean =>
  DATABASE_TLS === undefined
    ? DATABASE_CA_FILE !== undefined || !isLoopbackHost(new URL(DATABASE_URL).hostname)
    : DATABASE_TLS === 'on'

function readTemporal(settings: Settings): TemporalConfig | { readonly fault: string } {
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: { ...settings } })
    return { connectionOptions, namespace: namespace ?? 'default' }
  } catch (error) {
    return { fault: `TEMPORAL_*: ${(error as Error).message}` }
  }
}

/**
 * Whether a proxy may end TLS in front of us. TRUSTED_PROXIES names such a proxy, or a PUBLIC_URL that begins with
 * `https:` is a sign of one.
 */
const isBehindProxy = ({ TRUSTED_PROXIES: proxies, PUBLIC_URL: publicUrl }: Variables): boolean =>
  proxies.length > 0 || publicUrl?.startsWith('https:') === true

function toConfig(v: Variables, temporal: TemporalConfig) {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, NOTICE_URL: url, NOTICE_SECRET: secret } = v
  const { SMTP_URL: smtpUrl, SMTP_FROM: from } = v
  const tls = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined
  return {
    production: v.NODE_ENV === 'production',
    databaseUrl: v.DATABASE_URL,
    /** TLS to the database, and the file with the authorities to trust; undefined: no TLS. */
    databaseTls: usesDatabaseTls(v) ? { caFile: v.DATABASE_CA_FILE } : undefined,
    /** Connection options and namespace, as @temporalio/envconfig reads them from the variables TEMPORAL_*. */
    temporal,
    /** The version under which workers poll; undefined: workers use no versioning. */
    workerDeployment: v.TEMPORAL_WORKER_DEPLOYMENT,
    /** Address of Temporal's UI, for links; undefined: no links. */
    temporalUiUrl: v.TEMPORAL_UI_URL?.replace(/\/+$/, ''),
    host: v.HOST,
    port: v.PORT,
    apiAddress: v.API_ADDRESS ?? formatHostPort({ host: v.HOST, port: v.PORT }),
    workerHost: v.WORKER_HOST,
    workerPort: v.WORKER_PORT,
    workerAddress: v.WORKER_ADDRESS ?? formatHostPort({ host: v.WORKER_HOST, port: v.WORKER_PORT }),
    /** Whether the api speaks plain HTTP on a loopback address and no proxy is in front of it: a demo on one machine. */
    isPlainLoopback: tls === undefined && isLoopbackHost(v.HOST) && !isBehindProxy(v),
    publicUrl:
      v.PUBLIC_URL ?? `${tls ? 'https' : 'http'}://${formatHostPort({ host: v.HOST, port: v.PORT })}`,
    servicePrefix: v.KEY_PREFIX,
    secretsKeys: v.SECRETS_KEYS,
    webhookRetryScheduleMs: v.WEBHOOK_RETRY_SCHEDULE,
    webhookTimeoutMs: v.WEBHOOK_TIMEOUT,
    /** An attempt has this time for its recording, on top of webhookTimeoutMs. After both times it counts as lost. */
    recordingTimeoutMs: v.RECORDING_TIMEOUT,
    webhookAllowedNetworks: v.WEBHOOK_ALLOWED_NETWORKS,
    webhookCaFile: v.WEBHOOK_CA_FILE,
    /** The proxy through which requests to addresses of customers go; undefined: they go directly. */
    egressProxy: v.EGRESS_PROXY,
    webhookConcurrency: v.WEBHOOK_CONCURRENCY,
    webhooksPerTenant: v.WEBHOOKS_PER_TENANT,
    webhookBacklog: v.WEBHOOK_BACKLOG,
    /** How long an endpoint must have failed before its webhook is deactivated; 0: never. */
    endpointDisableAfterMs: v.ENDPOINT_DISABLE_AFTER,
    /** Where notices go, and the secret that signs them; undefined: nowhere. */
    noticeTarget: url !== undefined && secret !== undefined ? { url, secret } : undefined,
    /** The mail server, and the sender of the mails; undefined: the service sends no mail. */
    mailServer: smtpUrl !== undefined && from !== undefined ? { url: smtpUrl, from } : undefined,
    deliveryFirstAttempt: v.DELIVERY_FIRST_ATTEMPT,
    /** How long after a direct first attempt the retries of its delivery are direct too; 0: no retry is direct. */
    directRetriesWithinMs: v.DIRECT_RETRIES_WITHIN,
    rotationGracesMs: v.KEY_ROTATION_GRACES,
    trustedProxies: v.TRUSTED_PROXIES,
    rateLimitPerMinute: v.RATE_LIMIT_PER_MINUTE,
    companyRateLimitPerMinute: v.COMPANY_RATE_LIMIT_PER_MINUTE,
    keysPerCompany: v.KEYS_PER_COMPANY,
    authFailuresPerMinute: v.AUTH_FAILURES_PER_MINUTE,
    deniedCallsPerMinute: v.DENIED_CALLS_PER_MINUTE,
    publishPerMinute: v.PUBLISH_PER_MINUTE,
    maxConnections: v.MAX_CONNECTIONS,
    reconcileAfterMs: v.RECONCILE_AFTER,
    tls,
    retentionDays: v.RETENTION_DAYS,
    auditRetentionDays: v.AUDIT_RETENTION_DAYS,
    shutdownGraceMs: v.SHUTDOWN_GRACE,
    logLevel: v.LOG_LEVEL,
    /** Where traces go, and how many are sent; undefined: none. */
    tracing: toTracing(v),
    metricsToken: v.METRICS_TOKEN,
    /** Whether metrics are also kept for each company. */
    metricsPerCompany: v.METRICS_PER_COMPANY === 'on',
  }
}
