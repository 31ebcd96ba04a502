import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { ROOT } from '../../../scripts/lib/paths.mjs'

const PAGES = path.join(ROOT, 'dist', 'console')

/** The transferred bytes of the files that the page names. */
async function sentBytes(pattern: RegExp): Promise<number> {
  const page = await readFile(path.join(PAGES, 'index.html'), 'utf8')
  const files = [...page.matchAll(pattern)].map(([, file]) => file!)
  expect(files).to.not.have.length(0)
  const sizes = files.map(async (file) => gzipSync(await readFile(path.join(PAGES, file))).length)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

describe('the built console', () => {
  it('loads at most 200 KB of JavaScript and 40 KB of CSS before the first screen, gzipped', async () => {
    expect(await sentBytes(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g)).to.be.below(200 * 1024)
    expect(await sentBytes(/href="\/console\/(assets\/[^"]+\.css)"/g)).to.be.below(40 * 1024)
  })

  it('has no inline script, no inline style, a place for the nonce, and names every file by its content', async () => {
    const page = await readFile(path.join(PAGES, 'index.html'), 'utf8')
    expect(page).to.include('<meta name="csp-nonce" content="__CSP_NONCE__"')
    expect(page).to.not.match(/<script(?![^>]* src=)/)
    expect(page).to.not.match(/<style|style=/)
    for (const [, file] of page.matchAll(/"\/console\/assets\/([^"]+)"/g))
      expect(file).to.match(/-[\w-]{8,}\.(?:js|css)$/)
  })
})
