import { expect } from 'chai'
import fc from 'fast-check'
import { compileAllowlist, checkAllowlist, reviewAllowlist } from '../../../../src/domain/key/allowlist.ts'
import * as masks from '../../../support/address-masks.ts'
import { words } from '../../../support/words.ts'

/** The entries of a list, or its error. */
const entriesOf = (given: Parameters<typeof checkAllowlist>[0]) => {
  try {
    return checkAllowlist(given)
  } catch (error) {
    return (error as Error).message
  }
}

/** Draws two of three ranges around the address, so that hits and misses are both frequent. */
const drawn = fc
  .tuple(masks.randomAddress, masks.randomAddress, fc.nat(128), fc.nat(2))
  .map(([address, other, length, pick]): { address: masks.Address; base: masks.Address; length: number } => {
    const base = pick === 0 ? other : address
    return { address, base, length: base.ipVersion === 4 ? length % 33 : length }
  })

describe('the IP allowlist', () => {
  it('agrees with an independent mask computation for both IP versions, mapped spellings included', () => {
    let hits = 0
    fc.assert(
      fc.property(drawn, fc.boolean(), fc.boolean(), ({ address, base, length }, mapRequest, mapEntry) => {
        const shift = mapEntry && base.ipVersion === 4 ? 96 : 0
        const entry = `${masks.addressText(base, mapEntry)}/${length + shift}`
        const expected = masks.isCovered(address, base, length)
        hits += expected ? 1 : 0
        expect(compileAllowlist([entry])(masks.addressText(address, mapRequest)), entry).to.equal(expected)
      }),
      { numRuns: 3_000 },
    )
    expect(hits, 'the draw must exercise matches too').to.be.above(500)
  })

  it('stores every range with its host bits cleared, in a form that reads back as itself', () => {
    fc.assert(
      fc.property(drawn, fc.boolean(), ({ base, length }, mapEntry) => {
        const shift = mapEntry && base.ipVersion === 4 ? 96 : 0
        const stored = entriesOf([`${masks.addressText(base, mapEntry)}/${length + shift}`])
        expect(entriesOf(stored)).to.deep.equal(stored)
        const [text = '', storedLength] = (stored[0] ?? '').split('/')
        expect(Number(storedLength)).to.equal(length)
        const hostBits = BigInt((base.ipVersion === 4 ? 32 : 128) - length)
        expect(masks.addressValue(text)).to.equal((base.value >> hostBits) << hostBits)
      }),
    )
  })

  it('reads lines ended by LF or CRLF, trims them, drops blank ones, collapses duplicates, and shows a length where one was given', () => {
    const text = '10.0.0.5/8\r\n\r\n  ::1\t\n10.0.0.0/8\n   \n0:0::1\n192.0.2.7'
    expect(entriesOf(text)).to.deep.equal(['10.0.0.0/8', '::1', '192.0.2.7'])
    expect(entriesOf(' \n\r\n')).to.deep.equal([])
    const single = ['10.0.0.5/32', '::1/128', '::ffff:102:304/128']
    expect(entriesOf(single)).to.deep.equal(['10.0.0.5/32', '::1/128', '1.2.3.4/32'])
  })

  it('refuses every other form, naming it', () => {
    const wrong = words(`
      1 127.1 10/8 0x7f.1 0177.0.0.1 1.2.3.04 1.2.3.4.5 256.1.1.1 1.2.3.4/33 1.2.3.4/ 1.2.3.4/-1 1.2.3.4/+8
      1.2.3.4/08 1.2.3.4/8.0 ::1/129 /8 fe80::1%eth0 fe80::1%1/64 [::1] 1.2.3.4:80 example.com
      1.2.3.4,5.6.7.8 1.2.3.4-9 10.0.0.0/255.0.0.0 1.2.3.* ::: 1::2::3 * １.2.3.4
    `)
    for (const entry of [...wrong, '1.2.3.4 /8']) {
      const message = `Entry 2: ${JSON.stringify(entry)} is not an IP address or CIDR range.`
      expect(entriesOf(['::1', entry]), entry).to.equal(message)
    }
  })

  it('names the line of the first wrong entry, blank lines counted, and keeps the message short and printable', () => {
    const fourth = 'Line 4: "bad\\u001b" is not an IP address or CIDR range.'
    expect(entriesOf('::1\r\n\r\n10.0.0.1\nbad\u001b\nworse')).to.equal(fourth)
    const quoted = (length: number) => entriesOf('x'.repeat(length))
    expect(quoted(64)).to.equal(`Line 1: "${'x'.repeat(64)}" is not an IP address or CIDR range.`)
    expect(quoted(10_000)).to.equal(`Line 1: "${'x'.repeat(63)}…" is not an IP address or CIDR range.`)
  })

  it('shows to somebody who edits it every entry that can be read, and what is wrong with each other line', () => {
    const long = 'x'.repeat(100)
    const { entries, faults } = reviewAllowlist(`::1\n bad \n\r\n10.0.0.5/8\n${long}`)
    expect(entries).to.deep.equal(['::1', '10.0.0.0/8'])
    const said = (text: string) => `"${text}" is not an IP address or CIDR range.`
    const shown = { line: 5, text: long.slice(36), message: said(`${long.slice(37)}…`) }
    expect(faults).to.deep.equal([{ line: 2, text: 'bad', message: said('bad') }, shown])
    expect(reviewAllowlist(['::1', 'bad']).faults).to.deep.include({ ...faults[0] })
  })

  // decision: Allowlist
  it('holds at most 200 different entries', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
    expect(entriesOf([...many(200), ...many(200)])).to.have.length(200)
    const message = 'An IP allowlist has at most 200 entries; this one has 201.'
    expect(entriesOf(many(201))).to.equal(message)
  })
})

// decision: Allowlist
describe('a stored IP allowlist', () => {
  it('permits every address when it is empty, and nobody when one entry cannot be read', () => {
    for (const address of ['1.2.3.4', '::1', '::ffff:1.2.3.4', 'fe80::1%eth0', ''])
      expect(compileAllowlist([])(address)).to.equal(true)
    const unreadable = ['nonsense', '', ' ', '10.0.0.0/33', 'fe80::1%eth0', null, undefined, 7, {}, ['::1']]
    for (const entry of unreadable) {
      const name = JSON.stringify(entry)
      expect(compileAllowlist(['0.0.0.0/0', '::/0', entry])('1.2.3.4'), name).to.equal(false)
      expect(compileAllowlist([entry])('::1'), name).to.equal(false)
    }
  })

  it('does not reach into the other IP version, matches mapped addresses as IPv4 and ignores the zone id', () => {
    expect(compileAllowlist(['0.0.0.0/0'])('2001:db8::1')).to.equal(false)
    expect(compileAllowlist(['::/0'])('1.2.3.4')).to.equal(false)
    expect(compileAllowlist(['::/0'])('::ffff:1.2.3.4')).to.equal(false)
    expect(compileAllowlist(['::fffe:0:0/95'])('1.2.3.4')).to.equal(false)
    expect(compileAllowlist(['0.0.0.0/0', '::/0'])('2001:db8::1')).to.equal(true)
    expect(compileAllowlist(['1.2.3.4'])('::ffff:1.2.3.4')).to.equal(true)
    expect(compileAllowlist(['1.2.3.4'])('::ffff:0102:0304')).to.equal(true)
    expect(compileAllowlist(['fe80::/10'])('fe80::1%eth0')).to.equal(true)
  })

  it('never throws and never permits what is no address, whatever it is asked', () => {
    fc.assert(
      fc.property(fc.array(fc.anything(), { minLength: 1 }), fc.string(), (entries, address) => {
        expect(compileAllowlist(entries)(address)).to.be.a('boolean')
        expect(compileAllowlist(['0.0.0.0/0', '::/0'])(`x${address}`)).to.equal(false)
      }),
    )
  })
})
