import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { expect } from 'chai'
import { parse } from 'yaml'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { DYNAMIC_CONFIG } from '../../scripts/lib/temporal/launch.ts'
import { composeText, readCompose, REQUIRED } from './compose-file.ts'
import { SERVICE_PRIVILEGES } from '../support/service-account.ts'
import type { Json } from '../support/tenants.ts'
import { words } from '../support/words.ts'

const VALUES = Object.fromEntries(REQUIRED.map((name) => [name, `given-${name}`]))
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

/** The schema of docker-compose 1.29.2 (test/support/compose-spec.license.txt). Its ids follow an older draft. */
function composeSchema(): object {
  const withoutIds = (key: string, value: unknown) =>
    key === 'id' && typeof value === 'string' ? undefined : value
  const schema = JSON.parse(read('test/support/compose-spec.json'), withoutIds) as Record<string, unknown>
  delete schema['$schema']
  return schema
}

describe('docker-compose.yml', () => {
  const compose = readCompose(VALUES)
  const services = Object.entries(compose.services)
  const ours = services.filter(([, { build }]) => build !== undefined)

  it('is what the Compose specification allows, before and after its variables are filled in', () => {
    const formats = { ports: true, expose: true, duration: true, subnet_ip_address: true } as const
    const ajv = new Ajv2019({ strict: false, allErrors: true, formats })
    const validate = ajv.compile(composeSchema())
    for (const content of [compose, parse(composeText, { merge: true })]) {
      validate(content)
      expect(validate.errors).to.equal(null)
    }
  })

  // decision: Delays under 1 s
  it('gives Temporal the dynamic config that its launched servers have', () => {
    const file = parse(read('deploy/temporal/dynamic-config.yaml')) as Record<string, { value: unknown }[]>
    const values = Object.fromEntries(Object.entries(file).map(([name, [first]]) => [name, first?.value]))
    expect(values).to.deep.equal(DYNAMIC_CONFIG)
  })

  it('has no default for any secret: without one of them it does not start', () => {
    expect(REQUIRED).to.have.members(
      words(`
      MYSQL_ROOT_PASSWORD DATABASE_PASSWORD SERVICE_DATABASE_PASSWORD TEMPORAL_DATABASE_PASSWORD SECRETS_KEYS
      TLS_CERT_FILE TLS_KEY_FILE
    `),
    )
    for (const name of REQUIRED) expect(() => readCompose({ ...VALUES, [name]: '' })).to.throw(name)
  })

  // decision: The base of the image
  it('pins every image, none of them Alpine for our own', () => {
    const images = services
      .map(([, { image }]) => image ?? '')
      .filter((image) => image !== 'sales-data-webhooks')
    for (const image of images) expect(image).to.match(/^[\w./-]+:v?\d+\.\d+/)
    const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(new Set(bases)).to.deep.equal(new Set(['${NODE_IMAGE}']))
    const ofCompose = readCompose(VALUES).services['api']?.build?.args['NODE_IMAGE']
    const [, ofDockerfile] = /^ARG NODE_IMAGE=(\S+)$/m.exec(read('Dockerfile')) ?? []
    expect([ofCompose, ofDockerfile]).to.deep.equal(['node:24-bookworm-slim', 'node:24-bookworm-slim'])
  })

  it('waits for each part in the state it is needed in', () => {
    for (const [name, { depends_on: needs = {} }] of services)
      for (const [other, { condition }] of Object.entries<Json>(needs)) {
        const service = compose.services[other]
        expect(service, `${name} needs ${other}`).not.to.equal(undefined)
        if (condition === 'service_healthy') expect(service?.healthcheck, other).not.to.equal(undefined)
      }
    expect(compose.services['worker']?.depends_on).to.have.keys('migrate', 'temporal')
    expect(compose.services['api']?.depends_on).to.have.nested.property(
      'migrate.condition',
      'service_completed_successfully',
    )
  })

  it('publishes the api to the network, pages without login to loopback only, and nothing else', () => {
    const ports = services.flatMap(([name, { ports: published = [] }]) =>
      published.map((port: string) => `${name} ${port}`),
    )
    const ofPages = ['temporal-ui 127.0.0.1:8233:8080', 'prometheus 127.0.0.1:9090:9090']
    expect(ports).to.have.members([...ofPages, 'api 3000:3000'])
  })

  it('bounds the memory and the processors of every container, and runs our own processes without root, capabilities or a writable file system', () => {
    for (const [name, { mem_limit, cpus }] of services)
      expect([typeof mem_limit, typeof cpus], name).to.deep.equal(['string', 'number'])
    expect(ours.map(([name]) => name)).to.deep.equal(['migrate', 'api', 'worker'])
    for (const [, service] of ours) expect(service).to.deep.include({ read_only: true, cap_drop: ['ALL'] })
    const instructions = read('Dockerfile').trimEnd().split('\n')
    const lastStage = instructions.findLastIndex((line) => line.startsWith('FROM'))
    expect(instructions.lastIndexOf('USER node')).to.be.above(lastStage)
  })

  it('lets Prometheus scrape api and workers at their ports and protocols, with the token', () => {
    const jobs: Json[] = parse(read('deploy/prometheus/prometheus.yml')).scrape_configs
    const scraped = jobs.map(({ scheme, dns_sd_configs: [target] }) => [target?.names, target?.port, scheme])
    const portOf = (name: string) =>
      Number(compose.services[name]?.environment?.[name === 'api' ? 'PORT' : 'WORKER_PORT'])
    expect(scraped).to.deep.equal([
      [['api'], portOf('api'), 'https'],
      [['worker'], portOf('worker'), 'http'],
    ])
    const { entrypoint = [], environment, profiles } = compose.services['prometheus'] ?? {}
    for (const { authorization } of jobs)
      expect(entrypoint.join()).to.include(`> ${authorization.credentials_file}\n`)
    expect(environment).to.have.keys('METRICS_TOKEN')
    expect(profiles).to.deep.equal(['metrics'])
  })

  it('gives Temporal, the migration, and api and worker database accounts of their own, and none of them the root password', () => {
    const holders = services.filter(([, service]) =>
      JSON.stringify(service).includes('given-MYSQL_ROOT_PASSWORD'),
    )
    expect(holders.map(([name]) => name)).to.deep.equal(['mysql'])
    expect(compose.services['temporal']?.environment).to.include({ MYSQL_USER: 'temporal' })
    const accountOf = (name: string) =>
      new URL(compose.services[name]?.environment?.['DATABASE_URL'] ?? '').username
    expect(accountOf('migrate')).to.equal('sales_data')
    for (const name of ['api', 'worker']) expect(accountOf(name), name).to.equal('sales_data_service')
    const grant = `GRANT ${SERVICE_PRIVILEGES} ON sales_data.* TO 'sales_data_service'@'%';`
    for (const file of ['deploy/mysql/create-users.sh', 'docs/operating/run.md'])
      expect(read(file), file).to.include(grant)
  })

  it('mounts only files that exist, and its scripts are valid', () => {
    const mounts = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .filter((volume) => volume.startsWith('./'))
    for (const mount of mounts) expect(existsSync(path.join(ROOT, mount.split(':')[0])), mount).to.equal(true)
    for (const script of ['deploy/mysql/create-users.sh', 'deploy/temporal/set-up-schema.sh'])
      expect(() => execFileSync('sh', ['-n', path.join(ROOT, script)])).not.to.throw()
  })
})

describe('the image', () => {
  it('copies only what exists and what .dockerignore lets through', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
      files!.split(' '),
    )
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    for (const file of copied) {
      const name = file.replace(/^\.\//, '')
      expect(existsSync(path.join(ROOT, name)), name).to.equal(true)
      expect(allowed, name).to.include(`!${name.replace(/^(scripts|web)\/.*/, '$1')}`)
    }
  })
})

describe('.env.example', () => {
  const documented = [...read('.env.example').matchAll(/^#([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!)

  it('documents every variable that the service reads, once, and every one of docker-compose.yml, nothing that this does not pass on but what has no meaning in a container, and sets none', () => {
    const known = [...read('src/config/variables.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(
      ([, name]) => name!,
    )
    expect(known).to.include.members(['DATABASE_URL', 'SECRETS_KEYS', 'WEBHOOK_TIMEOUT'])
    expect(documented).to.include.members(known)
    expect(new Set(documented).size).to.equal(documented.length)
    const used = [...composeText.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!)
    expect(documented).to.include.members(used)
    expect(parse(read('.env.example'))).to.equal(null)
    const ours = Object.values(readCompose(VALUES).services).filter(({ build }) => build !== undefined)
    const passed = ours.flatMap(({ environment = {} }) => Object.keys(environment))
    // The image, apis and workers, and the compose file set the first four. `npm start` and tests use the last two.
    const elsewhere = words(`
      NODE_ENV API_ADDRESS WORKER_ADDRESS DATABASE_CA_FILE RECEIVER_PORT KEY_ROTATION_GRACES
    `)
    const passedOn = [...passed, ...used, ...elsewhere]
    expect(documented.filter((name) => !passedOn.includes(name))).to.deep.equal([])
  })
})
