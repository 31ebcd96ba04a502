import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import ipaddr from 'ipaddr.js'
import { compileRanges, isPublicAddress, parseAddressRange } from '../../src/domain/net/addresses.ts'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'
import type { Json } from '../support/tenants.ts'
import { LEAST, render } from './chart.ts'

describe("the chart's network policies", function () {
  this.timeout(30_000)
  const dir = useTemporaryDirectory('all tests')
  let policies: Json[]
  before(async () => {
    const file = path.join(dir.path, 'values.json')
    await writeFile(file, JSON.stringify(LEAST))
    policies = (await render(file)).filter(({ kind }) => kind === 'NetworkPolicy')
  })
  const policyOf = (component: string): Json =>
    policies.find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === component)

  // decision: Ranges of the network policy
  it('lets workers reach exactly those public addresses that the address guard lets them reach', () => {
    const blocks = policyOf('worker').spec.egress.flatMap(({ to = [] }: Json) =>
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
    const ofApi: Json[] = policyOf('api').spec.egress
    expect(ofApi.filter(({ to }) => to === undefined).flatMap(({ ports }) => ports)).to.deep.equal([
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ])
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
