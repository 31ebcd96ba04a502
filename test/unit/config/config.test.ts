import { expect } from 'chai'
import { ConfigError, readConfig } from '../../../src/config/index.ts'
import { workerWarnings } from '../../../src/config/warnings.ts'
import { words } from '../../support/words.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const MINIMUM = { DATABASE_URL: 'mysql://u:p@127.0.0.1:3306/webhooks', SECRETS_KEYS: `k1:${KEY}` }

const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`

/** The configuration from these variables and the two required ones. */
const read = (environment: Record<string, string> = {}) => readConfig({ ...MINIMUM, ...environment })

/** The faults of these variables together with the two required ones. */
function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults
  }
}

/** Expects each of these values to cause one fault, which begins with the name of the variable. */
function expectRefused(name: string, values: readonly string[], fault: string | RegExp = '', others = {}) {
  for (const value of values) {
    const [found = '', ...more] = faultsOf({ ...others, [name]: value })
    expect(more, value).to.deep.equal([])
    expect(found, value).to.match(new RegExp(`^${name}\\b`))
    if (typeof fault === 'string') expect(found, value).to.include(fault)
    else expect(found, value).to.match(fault)
  }
}

// decision: What NOTICE_URL may be
describe('the configuration', () => {
  it('needs nothing but the database and the key ring, and takes an empty value for one that is not set', () => {
    const config = read()
    const { temporal } = read({ TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '', PORT: '' })
    expect(temporal).to.deep.equal(config.temporal)
    expect(config).to.include({ workerAddress: '127.0.0.1:3001', publicUrl: 'http://127.0.0.1:3000' })
    expect(config.temporal.namespace).to.equal('default')
    expect(Object.isFrozen(config)).to.equal(true)
  })

  it('takes 0 for never where an endpoint may fail for days, and no time that is too short', () => {
    const after = (text: string) => read({ ENDPOINT_DISABLE_AFTER: text }).endpointDisableAfterMs
    expect(['0', '1h', '365d'].map(after)).to.deep.equal([0, 3_600_000, 31_536_000_000])
    expect(read().endpointDisableAfterMs).to.equal(5 * 86_400_000)
    const fault = 'ENDPOINT_DISABLE_AFTER must be 0, or a duration from 1h to 365d, such as "12h" or "5d"'
    expectRefused('ENDPOINT_DISABLE_AFTER', ['59m', '366d', '5', 'never', '0s'], new RegExp(`^${fault}$`))
  })

  it('takes the name of a worker deployment and a build that Temporal takes', () => {
    const setting = 'TEMPORAL_WORKER_DEPLOYMENT'
    for (const none of [{}, { [setting]: '' }]) expect(read(none).workerDeployment).to.equal(undefined)
    const version = { deploymentName: 'shop-webhooks', buildId: 'v0.3.0+a_1' }
    expect(read({ [setting]: 'shop-webhooks:v0.3.0+a_1' }).workerDeployment).to.deep.equal(version)
    const long = 'a'.repeat(101)
    const wrong = words(`shop : shop: :1 sh.op:1 shop:1:2 __shop:1 shop:__1 sh/op:1 ${long}:1 shop:${long}`)
    expectRefused(setting, [...wrong, 'shop: 1'], 'must look like name:build')
  })

  it('takes the settings of OpenTelemetry in its own form, and shows nothing of a token that is not', () => {
    expect(read({ OTEL_TRACES_SAMPLER: 'always_off' }).tracing).to.equal(undefined)
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/' }
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: ' a = b%20c ,x-b=d=e,' }
    const sampling = { sampler: 'parentbased_always_on', share: 1, headers: { a: 'b c', 'x-b': 'd=e' } }
    const tracing = { url: 'https://collector.example/otlp/v1/traces', ...sampling }
    expect(read({ ...endpoint, ...headers }).tracing).to.deep.include(tracing)
    const wrong = ['hunter2', 'a b=hunter2', '=hunter2', 'a=%hunter2', 'a=%0Ahunter2', 'a=hunter2\u2713']
    expectRefused('OTEL_EXPORTER_OTLP_HEADERS', wrong, /must look like "name=value,(?!.*hunter2)/, endpoint)
    expectRefused('OTEL_EXPORTER_OTLP_ENDPOINT', words('collector:4317 grpc://collector/'))
    expectRefused('OTEL_TRACES_SAMPLER', ['jaeger_remote', 'on'])
    expectRefused('OTEL_TRACES_SAMPLER_ARG', ['-0.1', '1.1', 'half'])
    expectRefused('OTEL_BSP_MAX_QUEUE_SIZE', ['0', '15001'])
  })

  it('takes an address for notices with its secret: https, or http on this machine', () => {
    const secret = whsec(24)
    for (const url of words(`
      https://ops.example.com/notices?team=1 https://10.0.0.7:8443/ http://127.0.0.1:9000/
      http://[::1]:9000/x http://localhost/x
    `)) {
      const { noticeTarget } = read({ NOTICE_URL: url, NOTICE_SECRET: secret })
      expect(noticeTarget).to.deep.equal({ url, secret })
    }
    expect(read().noticeTarget).to.equal(undefined)
    const wrong = words(`
      http://ops.example.com/ http://10.0.0.7/ ftp://127.0.0.1/ ops.example.com https://
      https://me:hunter2@ops.example.com/ https://ops.example.com/#hunter2 http://127.0.0.1.example/
    `)
    expectRefused('NOTICE_URL', wrong, /must be https:(?!.*hunter2)/, { NOTICE_SECRET: secret })
  })

  it('takes no secret for notices that Standard Webhooks would not, and neither of the two alone', () => {
    const url = { NOTICE_URL: 'https://ops.example.com/' }
    for (const secret of [whsec(24), whsec(25), whsec(64)])
      expect(faultsOf({ ...url, NOTICE_SECRET: secret }), secret).to.deep.equal([])
    const wrong = [whsec(23), whsec(65), 'whsec_hunter2', whsec(24).slice(6), `${whsec(24)}!`]
    const form = 'whsec_ and the base64 of 24 to 64 bytes, such as that of openssl rand -base64 24'
    expectRefused('NOTICE_SECRET', wrong, new RegExp(`^NOTICE_SECRET must be ${form}$`), url)
    const both = 'go together: set both, or neither'
    const alone = [...faultsOf(url), ...faultsOf({ NOTICE_SECRET: whsec(24) })]
    expect(alone).to.deep.equal([
      `NOTICE_URL and NOTICE_SECRET ${both}`,
      `NOTICE_SECRET and NOTICE_URL ${both}`,
    ])
  })

  // decision: Mails
  it('takes a mail server without anything that would weaken its TLS, and never repeats its password', () => {
    const from = 'Alerts <alerts@example.com>'
    for (const url of words('smtps://u:p%40@m.example.com:465 smtp://m.example.com smtp://[::1]:1025/'))
      expect(read({ SMTP_URL: url, SMTP_FROM: from }).mailServer).to.deep.equal({ url, from })
    const wrong = words(`
      http://m.example.com smtp://u:hunter2@ smtps://u:hunter2%@h smtps://u:hunter2@h/?tls.rejectUnauthorized=false
      smtps://u:hunter2@h/x#y smtps://u:hunter2@h:99999
    `)
    expectRefused('SMTP_URL', wrong, /must look like smtps:(?!.*hunter2)/, { SMTP_FROM: from })
    const senders = ['alerts', 'a@b, c@d', 'A <a@b', '"A" <a@b>', 'A <a@b>\nBcc: c@d']
    expectRefused('SMTP_FROM', senders, 'must look like', { SMTP_URL: 'smtp://localhost' })
  })

  // decision: An egress proxy
  it('takes an HTTP proxy by host and port alone, and never repeats its password', () => {
    for (const url of words('http://proxy https://u:p%40@proxy.example.com:4750/ http://[::1]:3128'))
      expect(read({ EGRESS_PROXY: url }).egressProxy).to.equal(url)
    expect(read().egressProxy).to.equal(undefined)
    const wrong = words(`
      socks5://u:hunter2@h h:3128 http:// http://u:hunter2@ http://u:hunter2%@h http://u:hunter2@h/x http://u:hunter2@h?x
      http://u:hunter2@h#x http://u:hunter2@h:99999 http://hunter2@h smtp://u:hunter2@h
    `)
    expectRefused('EGRESS_PROXY', wrong, /must look like http:(?!.*hunter2)/)
  })

  it('names each variable once, and both of the files that go together', () =>
    expect(faultsOf({ DATABASE_URL: 'postgres://x', SECRETS_KEYS: '', TLS_CERT_FILE: 'c' })).to.deep.equal([
      'DATABASE_URL must look like mysql://user:password@host:port/database, with user and password percent-encoded',
      'SECRETS_KEYS is required',
      'TLS_CERT_FILE and TLS_KEY_FILE go together: set both, or neither',
    ]))

  it('takes a password of any bytes, percent-encoded, and never repeats it or key bytes in a fault', () => {
    const databaseUrl = 'mysql://u:%40%2F%25%C3%BC@h:3306/d'
    expect(read({ DATABASE_URL: databaseUrl }).databaseUrl).to.equal(databaseUrl)
    const text = faultsOf({ DATABASE_URL: 'mysql://u:hunter2@', SECRETS_KEYS: 'k1:c2VjcmV0LWJ5dGVz' }).join()
    expect(text).to.not.include('hunter2').and.not.include('c2VjcmV0')
    const broken = ['u:hunter2%@h/d', 'u%zz:hunter2@h/d', 'u:hunter2%E0%A4@h/d', 'u:hunter2@h:99999/d']
    const urls = broken.map((rest) => `mysql://${rest}`)
    expectRefused('DATABASE_URL', urls, /^DATABASE_URL must (?!.*hunter2)/)
  })

  it('refuses a trusted proxy with a port, which no peer would ever have', () => {
    for (const entry of ['127.0.0.1:443', '[::1]:443', '10.0.0.0/8:80'])
      expectRefused('TRUSTED_PROXIES', [`10.0.0.1,${entry}`], entry)
    const { trustedProxies } = read({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' })
    expect(trustedProxies.map(({ address }) => address)).to.deep.equal(['10.0.0.0', 'fd00::'])
  })

  // decision: Metrics of companies
  // decision: Publish quota
  it('keeps metrics of companies only when that is on, and takes no publish quota that a batch of 100 events could never keep to, and 0 for none', () => {
    const isOn = ['', 'off', 'on'].map((text) => read({ METRICS_PER_COMPANY: text }).metricsPerCompany)
    expect(isOn).to.deep.equal([false, false, true])
    expectRefused('METRICS_PER_COMPANY', ['true'], /^\w+ must be "on" or "off"$/)
    const quotaOf = (value: string) => read({ PUBLISH_PER_MINUTE: value }).publishPerMinute
    expect([read().publishPerMinute, quotaOf('0'), quotaOf('100')]).to.deep.equal([0, 0, 100])
    expectRefused('PUBLISH_PER_MINUTE', ['1', '99', '-1', '100.5', '1000000001'])
  })

  it('reads durations wherever time is configured, short grace periods in tests, which production refuses', () => {
    const config = read({ WEBHOOK_RETRY_SCHEDULE: '250ms, 5s,2h', RECONCILE_AFTER: '1s' })
    expect(config.webhookRetryScheduleMs).to.deep.equal([250, 5_000, 7_200_000])
    expect(config.reconcileAfterMs).to.equal(1_000)
    const graces = { KEY_ROTATION_GRACES: '1h=3s' }
    expect(read(graces).rotationGracesMs).to.include({ '1h': 3_000, '6h': 21_600_000 })
    expectRefused('KEY_ROTATION_GRACES', ['1h=3s'], '', { NODE_ENV: 'production' })
    expectRefused('KEY_ROTATION_GRACES', words('toString=3s constructor=3s __proto__=3s =3s'))
    expect(faultsOf({ NODE_ENV: 'production' })).to.deep.equal([])
  })

  const BOUNDS: [string, string[], string[]][] = [
    ['WEBHOOK_TIMEOUT', ['100ms', '1s', '10m'], ['0ms', '99ms', '11m', '999d', '999999999d']],
    ['RECORDING_TIMEOUT', ['1s', '2s', '10m'], ['0ms', '999ms', '11m', '999d']],
    ['RECONCILE_AFTER', ['1s', '7d'], ['0ms', '8d', '999d']],
    ['SHUTDOWN_GRACE', ['1s', '1h'], ['0ms', '2h', '30d']],
    ['WEBHOOK_RETRY_SCHEDULE', ['100ms', '300ms,7d'], ['0ms', '5s,8d', '5s,999999999d']],
    ['KEY_ROTATION_GRACES', ['1h=1s', '1h=2s,7d=7d'], ['1h=0ms', '1h=8d', '1h=5s=6s']],
  ]
  for (const [name, legal, illegal] of BOUNDS) {
    // decision: Bounds of durations
    it(`bounds ${name}, so that no timer ends at once or overflows`, () => {
      for (const value of legal) expect(faultsOf({ [name]: value }), value).to.deep.equal([])
      expectRefused(name, illegal, /\b(?:100ms|1s)\b.*\b(?:10m|1h|7d)\b/)
    })
  }

  // decision: TLS to the database
  it('uses TLS to a database beyond this machine, unless it is turned off, and to one on it where it is asked for', () => {
    const tlsOf = (host: string, more: Record<string, string> = {}) =>
      read({ DATABASE_URL: `mysql://u:p@${host}/d`, ...more }).databaseTls
    const beyond = words('db.example mysql:3306 10.0.0.5 [fd00::1]:3306 127.0.0.1.example')
    for (const host of [...beyond, ...words('127.0.0.1:3306 localhost [::1]:3306 127.0.0.53')]) {
      const verdicts = ['off', '', 'on'].map((DATABASE_TLS) => tlsOf(host, { DATABASE_TLS }))
      const usual = beyond.includes(host) ? { caFile: undefined } : undefined
      expect(verdicts, host).to.deep.equal([undefined, usual, { caFile: undefined }])
    }
    expectRefused('DATABASE_TLS', ['yes', 'true', 'OFF', '0'], /^\w+ must be "on" or "off"$/)
  })

  it('takes an address of a worker that can be rung, and nothing else, and writes IPv6 in brackets', () => {
    const { workerAddress, publicUrl } = read({ WORKER_HOST: '::1', HOST: '::1' })
    expect([workerAddress, publicUrl]).to.deep.equal(['[::1]:3001', 'http://[::1]:3000'])
    for (const address of ['worker-1:3001', '10.0.0.7:1', '[fd00::7]:65535'])
      expect(read({ WORKER_ADDRESS: address }).workerAddress).to.equal(address)
    const wrong = words('worker worker:0 worker:99999 worker:port :3001 [::1]')
    expectRefused('WORKER_ADDRESS', [...wrong, 'a b:3001'])
  })

  it('refuses to serve other machines without TLS or a proxy that ends it', () => {
    expect(faultsOf({ HOST: '0.0.0.0' }).join()).to.include('TLS_CERT_FILE')
    for (const safe of [{ TRUSTED_PROXIES: '10.0.0.0/8' }, { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' }])
      expect(faultsOf({ HOST: '0.0.0.0', ...safe })).to.deep.equal([])
  })

  it('has first attempts made by workflows unless told otherwise, and knows two ways to make them', () => {
    for (const known of ['workflow', 'direct'] as const)
      expect(read({ DELIVERY_FIRST_ATTEMPT: known })).to.include({ deliveryFirstAttempt: known })
    expectRefused('DELIVERY_FIRST_ATTEMPT', ['fast'], /must be one of \[workflow, direct\]$/)
    expectRefused('DELIVERY_FIRST_ATTEMPT', ['adaptive'], 'adaptive is gone; set direct')
  })

  // decision: Direct first attempts
  it('takes no time for direct retries, or one of up to five minutes', () => {
    const within = (text: string) => read({ DIRECT_RETRIES_WITHIN: text }).directRetriesWithinMs
    expect([read({}).directRetriesWithinMs, within('0'), within('5m')]).to.deep.equal([10_000, 0, 300_000])
    const fault = 'from 100ms to 5m, such as "5s" or "1m"'
    expectRefused('DIRECT_RETRIES_WITHIN', ['6m', '50ms', '10', 'none'], fault)
  })
})

describe('what a worker warns of at boot', () => {
  // decision: Delays under 1 s
  it('is a retry delay under 1 s, which Temporal makes longer, a grace period that attempts may outlast, and networks that are exempt from the guard', () => {
    for (const [environment, ...named] of [
      [{}],
      [{ WEBHOOK_RETRY_SCHEDULE: '1s,5m' }],
      [{ WEBHOOK_RETRY_SCHEDULE: '100ms' }, /WEBHOOK_RETRY_SCHEDULE.*history\.timerProcessorMaxTimeShift/],
      [{ WEBHOOK_RETRY_SCHEDULE: '5s,999ms' }, /WEBHOOK_RETRY_SCHEDULE/],
      [{ SHUTDOWN_GRACE: '15s', WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' }, /SHUTDOWN_GRACE/, /_NETWORKS/],
    ] as [Record<string, string>, ...RegExp[]][]) {
      const warnings = workerWarnings(read(environment))
      expect(warnings, JSON.stringify(environment)).to.have.length(named.length)
      for (const [index, name] of named.entries()) expect(warnings[index]).to.match(name)
    }
  })
})
