import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import ipaddr from 'ipaddr.js'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { makeCertificate } from '../../scripts/receiver/certificate.ts'
import { checkTlsFiles } from '../../src/config/files.ts'
import { readConfig, type Config } from '../../src/config/index.ts'
import { variables } from '../../src/config/variables.ts'
import { compileRanges, isPublicAddress, parseAddressRange } from '../../src/domain/net/addresses.ts'
import { TASK_QUEUE } from '../../src/workflows/contract.ts'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'
import type { Json } from '../support/tenants.ts'
import { words } from '../support/words.ts'
import { CHART, createCheck, EVERYTHING, helm, LEAST, RELEASE, render } from './chart.ts'

// decision: The chart
describe('the chart', function () {
  this.timeout(30_000)
  const dir = useTemporaryDirectory('all tests')
  let least: Json[]
  let everything: Json[]

  async function file(name: string, values: object): Promise<string> {
    const place = path.join(dir.path, `${name}.json`)
    await writeFile(place, JSON.stringify(values))
    return place
  }
  before(async () => {
    const files = await Promise.all([file('least', LEAST), file('everything', EVERYTHING)])
    ;[least, everything] = (await Promise.all(files.map((one) => render(one)))) as [Json[], Json[]]
  })

  const find = (rendered: Json[], kind: string, component: string): Json =>
    rendered.find(
      (one) => one.kind === kind && one.metadata.labels['app.kubernetes.io/component'] === component,
    )
  const podsOf = (rendered: Json[]): Json[] =>
    rendered.flatMap(({ spec }) => (spec.template?.spec.containers ? [spec.template] : []))

  it('has the version of the service, passes helm lint, and makes what Kubernetes 1.35, KEDA and the Prometheus operator take', async () => {
    const { version }: Json = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    const chart = readFileSync(path.join(CHART, 'Chart.yaml'), 'utf8')
    expect(chart).to.include(`\nversion: ${version}\n`).and.include(`\nappVersion: ${version}\n`)
    const linted = await helm('lint', await file('linted', EVERYTHING), '--strict')
    expect(linted.code, linted.output).to.equal(0)
    const kinds = words(`
      Deployment Deployment HorizontalPodAutoscaler Job NetworkPolicy NetworkPolicy NetworkPolicy
      PodDisruptionBudget PodDisruptionBudget Service Service
    `)
    expect(least.map(({ kind }) => kind).sort()).to.deep.equal(kinds)
    const asked = [...kinds, 'ScaledObject', 'ServiceMonitor', 'ServiceMonitor'].sort()
    expect(everything.map(({ kind }) => kind).sort()).to.deep.equal(asked)
    const check = await createCheck()
    for (const one of [...least, ...everything])
      expect(check(one), `${one.kind} ${one.metadata.name}`).to.deep.equal([])
    const misspelt = structuredClone(find(least, 'Deployment', 'api'))
    misspelt.spec.template.spec.automountServiceAccountTokens = false
    expect(check(misspelt).join()).to.include('automountServiceAccountTokens')
  })

  it('runs every pod without root, capabilities, privileges, a writable root or a token of the cluster', () => {
    const pods = [...podsOf(least), ...podsOf(everything)]
    expect(pods).to.have.length(6)
    for (const { spec } of pods) {
      expect(spec).to.include({ automountServiceAccountToken: false, enableServiceLinks: false })
      const { fsGroup, seccompProfile, ...user } = spec.securityContext
      expect(user).to.deep.equal({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 })
      expect([fsGroup, seccompProfile.type]).to.deep.equal([1000, 'RuntimeDefault'])
      for (const { securityContext, resources } of spec.containers) {
        const bound = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true }
        expect(securityContext).to.deep.equal({ ...bound, capabilities: { drop: ['ALL'] } })
        expect(resources.limits).to.have.keys('memory')
      }
      for (const { secret, projected } of spec.volumes)
        if (secret ?? projected) expect((secret ?? projected).defaultMode).to.equal(0o440)
    }
  })

  /** The configuration of a container's process: its variables, and the files of volumes with their mode. */
  async function configOf({ spec }: Json): Promise<Config> {
    const root = await mkdtemp(path.join(dir.path, 'pod-'))
    const mounted = path.join(root, 'etc/sales-data-webhooks')
    const { key, cert } = await makeCertificate()
    const secret = `whsec_${Buffer.alloc(24).toString('base64')}`
    const held: Record<string, string> = {
      'tls/tls.crt': cert,
      'tls/tls.key': key,
      'settings/DATABASE_URL': 'mysql://shop:secret@mysql.example.com:3306/sales_data\n',
      'settings/SECRETS_KEYS': `k1:${Buffer.alloc(32).toString('base64')}`,
      'settings/METRICS_TOKEN': 'token-of-prometheus',
      'settings/NOTICE_URL': 'https://chat.example.com/hook',
      'settings/NOTICE_SECRET': secret,
      'settings/SMTP_URL': 'smtps://user:password@mail.example.com:465',
      'settings/EGRESS_PROXY': 'http://user:password@proxy.example.com:4750',
      'settings/OTEL_EXPORTER_OTLP_HEADERS': 'authorization=x',
      'settings/TEMPORAL_API_KEY': 'key',
    }
    for (const [name, text] of Object.entries(held)) {
      const mode = spec.volumes.find((volume: Json) => volume.name === name.split('/')[0])
      await mkdir(path.dirname(path.join(mounted, name)), { recursive: true })
      await writeFile(path.join(mounted, name), text, {
        mode: mode === undefined ? 0o600 : (mode.secret ?? mode.projected).defaultMode,
      })
    }
    const ip = spec.containers[0].env.some(({ value }: Json) => value === '::') ? 'fd00::7' : '10.1.2.3'
    const env = spec.containers[0].env.map(({ name, value, valueFrom }: Json) => [
      name,
      String(valueFrom ? ip : value)
        .replace('$(POD_IP)', ip)
        .replace(/^\/etc\/sales-data-webhooks/, mounted),
    ])
    return readConfig({ NODE_ENV: 'production', ...Object.fromEntries(env) }, checkTlsFiles)
  }

  it('gives every process a configuration that it accepts, with the address of its pod', async () => {
    for (const pod of [...podsOf(least), ...podsOf(everything)]) await configOf(pod)
    const api = await configOf(find(least, 'Deployment', 'api').spec.template)
    expect(api).to.include({ host: '0.0.0.0', apiAddress: '10.1.2.3:3000', shutdownGraceMs: 20_000 })
    expect(api.tls).not.to.equal(undefined)
    const worker = await configOf(find(everything, 'Deployment', 'worker').spec.template)
    expect([worker.workerHost, worker.workerAddress]).to.deep.equal(['::', 'fd00::7:3001'])
    expect([worker.webhookBacklog, worker.webhookTimeoutMs]).to.deep.equal([5_000_000, 10_000])
    expect([worker.metricsToken, worker.directRetriesWithinMs]).to.deep.equal(['token-of-prometheus', 0])
  })

  it('takes every setting of the service, or sets it itself', () => {
    const schema: Json = JSON.parse(readFileSync(path.join(CHART, 'values.schema.json'), 'utf8'))
    const known = Object.keys(variables.describe()['keys'] as object)
    const own = words(`
      NODE_ENV HOST PORT API_ADDRESS WORKER_HOST WORKER_PORT WORKER_ADDRESS TLS_CERT_FILE TLS_KEY_FILE
      SHUTDOWN_GRACE KEY_ROTATION_GRACES TEMPORAL_API_KEY
    `)
    const taken = Object.keys(schema.properties.settings.properties)
    const secrets: string[] = schema.properties.secret.properties.keys.items.enum
    expect([...taken, ...secrets, ...own]).to.have.members([...known, 'TEMPORAL_API_KEY', 'TEMPORAL_API_KEY'])
  })

  it('lets processes finish before they are killed, and balancers hear first that an api leaves', () => {
    for (const [rendered, graceS] of [
      [least, 20],
      [everything, 40],
    ] as const) {
      const [api, worker] = ['api', 'worker'].map(
        (name) => find(rendered, 'Deployment', name).spec.template.spec,
      )
      const sleepS = api.containers[0].lifecycle.preStop.sleep.seconds
      expect(api.terminationGracePeriodSeconds - sleepS).to.be.at.least(graceS + 5)
      expect(worker.terminationGracePeriodSeconds).to.be.at.least(graceS + 5)
    }
  })

  it('migrates before everything else, with an account of its own where one is named', () => {
    for (const [rendered, secret] of [
      [least, 'shop-settings'],
      [everything, 'shop-migration'],
    ] as const) {
      const { metadata, spec } = find(rendered, 'Job', 'migrate')
      expect(metadata.annotations['helm.sh/hook']).to.equal('pre-install,pre-upgrade')
      const [{ secret: ofDatabase }] = spec.template.spec.volumes.find(
        ({ name }: Json) => name === 'settings',
      ).projected.sources
      expect([ofDatabase.name, ofDatabase.items[0].key]).to.deep.equal([secret, 'DATABASE_URL'])
      expect(spec.template.spec.containers[0].command).to.deep.equal(['node', 'dist/cli.js', 'migrate'])
    }
  })

  it('finds the pods that it means: services, budgets, policies and scalers', () => {
    for (const component of ['api', 'worker']) {
      const { metadata, spec } = find(everything, 'Deployment', component)
      const labels = Object.entries(spec.template.metadata.labels).map(String)
      for (const [kind, selector] of [
        ['Service', (one: Json) => one.spec.selector],
        ['PodDisruptionBudget', (one: Json) => one.spec.selector.matchLabels],
        ['NetworkPolicy', (one: Json) => one.spec.podSelector.matchLabels],
        ['ServiceMonitor', (one: Json) => one.spec.selector.matchLabels],
      ] as const)
        expect(labels, kind).to.include.members(
          Object.entries(selector(find(everything, kind, component)) as object).map(String),
        )
      const kind = component === 'api' ? 'HorizontalPodAutoscaler' : 'ScaledObject'
      const scaler = find(everything, kind, component)
      expect(scaler.spec.scaleTargetRef.name).to.equal(metadata.name)
      expect(spec).not.to.have.property('replicas')
    }
    const triggers: Json[] = find(everything, 'ScaledObject', 'worker').spec.triggers
    expect(triggers[1].metadata).to.include({ taskQueue: TASK_QUEUE, targetQueueSize: '100' })
    expect(find(everything, 'Deployment', 'api').metadata.name).to.equal(`${RELEASE}-sales-data-webhooks-api`)
  })

  // decision: Ranges of the network policy
  it('lets workers reach exactly those public addresses that the address guard lets them reach', () => {
    const blocks = find(least, 'NetworkPolicy', 'worker').spec.egress.flatMap(({ to = [] }: Json) =>
      to.flatMap(({ ipBlock }: Json) => (ipBlock?.except ? [ipBlock] : [])),
    )
    const compile = (ranges: string[]) => compileRanges(ranges.map((range) => parseAddressRange(range)!))
    const rules: { isIn: (a: string) => boolean; isOut: (a: string) => boolean }[] = blocks.map(
      ({ cidr, except }: Json) => ({ isIn: compile([cidr]), isOut: compile(except) }),
    )
    const allows = (address: string) => rules.some(({ isIn, isOut }) => isIn(address) && !isOut(address))
    const known = [ipaddr.IPv4, ipaddr.IPv6].flatMap(({ prototype }) =>
      Object.values((prototype as unknown as { SpecialRanges: Record<string, Json> }).SpecialRanges).flatMap(
        (ranges) =>
          (Array.isArray(ranges[0]) ? ranges : [ranges]).map(([base, length]: Json) => `${base}/${length}`),
      ),
    )
    const ours: string[] = blocks.flatMap(({ cidr, except }: Json) => [cidr, ...except])
    const addresses = [...known, ...ours, '8.8.8.8/32', '2a00:1450::/32'].flatMap(edgesOf)
    expect(addresses.length).to.be.above(200)
    for (const address of addresses) expect(allows(address), address).to.equal(isPublicAddress(address))
    const ofApi: Json[] = find(least, 'NetworkPolicy', 'api').spec.egress
    expect(ofApi.filter(({ to }) => to === undefined).flatMap(({ ports }) => ports)).to.deep.equal([
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ])
  })

  const refused = [
    ['a number as text', { api: { replicas: '3' } }, /api[./]replicas.*(integer|Invalid type)/],
    ['a tag that YAML reads as a number', { image: { tag: 1.1 } }, /image[./]tag.*(string|Invalid type)/],
    ['an unknown value', { worker: { replica: 3 } }, /worker.*replica/],
    ['an unknown setting', { settings: { WEBHOOK_TIMEOUTS: '5s' } }, /settings.*WEBHOOK_TIMEOUTS/],
    ['a secret among the settings', { settings: { SECRETS_KEYS: 'k1:x' } }, /settings.*SECRETS_KEYS/],
    ['a switch that is none', { settings: { DATABASE_TLS: true } }, /settings[./]DATABASE_TLS/],
    ['no Secret', { secret: { name: '' } }, /secret\.name: name the Secret/],
    ['no Temporal', { temporal: { address: '' } }, /temporal\.address: set it/],
    ['no TLS', { api: { tlsSecret: '' } }, /api\.tlsSecret: .*TRUSTED_PROXIES/],
    [
      'no way to the database',
      { networkPolicy: { database: { to: [] } } },
      /networkPolicy\.database\.to: say/,
    ],
    ['metrics without a token', { serviceMonitor: { enabled: true } }, /serviceMonitor: .*METRICS_TOKEN/],
    ['KEDA without Prometheus', { worker: { keda: { enabled: true } } }, /worker\.keda\.prometheusAddress/],
  ] as const

  it('names what is wrong or missing in the values', async () => {
    const least = await file('refused-least', LEAST)
    await Promise.all(
      refused.map(async ([what, values, words], index) => {
        const { code, output } = await helm('template', least, '--values', await file(`r-${index}`, values))
        expect(code, what).not.to.equal(0)
        expect(output, what).to.match(words)
      }),
    )
  })
})

/** The first and the last address of a range, and their neighbours outside. */
function edgesOf(range: string): string[] {
  const [address, length] = ipaddr.parseCIDR(range)
  const bytes = address.toByteArray()
  const base = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const size = 1n << BigInt(bytes.length * 8 - length)
  const edges = [base - 1n, base, base + size - 1n, base + size]
  const inside = edges.filter((edge) => edge >= 0n && edge < 1n << BigInt(bytes.length * 8))
  return inside.map((edge) =>
    ipaddr
      .fromByteArray(bytes.map((_, i) => Number((edge >> BigInt((bytes.length - 1 - i) * 8)) & 255n)))
      .toString(),
  )
}
