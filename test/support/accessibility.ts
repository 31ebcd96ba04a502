import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

type Rules = { readonly type: 'tag' | 'rule'; readonly values: readonly string[] }

const WCAG_22_AA: Rules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }

/** The rule that looks at colours: of all of axe's, only its result depends on the colour scheme. */
const CONTRAST: Rules = { type: 'rule', values: ['color-contrast'] }

/** What axe finds on the page, against WCAG 2.2 AA unless told otherwise: rule, and where. */
export async function accessibilityFaults(page: Page, rules = WCAG_22_AA): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(await readFile(AXE, 'utf8'))
  return page.evaluate<string[], Rules>(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
  }, rules)
}

/** What axe finds against WCAG 2.2 AA where the page is light, and of its colours where it is dark. */
export async function faultsInBothSchemes(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const [colorScheme, rules] of [
    ['light', WCAG_22_AA],
    ['dark', CONTRAST],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    faults.push(...(await accessibilityFaults(page, rules)).map((fault) => `${colorScheme}: ${fault}`))
  }
  return faults
}

/** Letters and words as far apart as a page must bear it: WCAG 2.2, success criterion 1.4.12. Wide fonts take less room. */
const SPACING = '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }'

/** So many frames a page may take to become as narrow as its window: on the way Chromium is at least 500 pixels wide. */
const FRAMES = 60

/** What its reader must scroll to sideways at a width of 320 pixels, where letters and words stand far apart: page or dialog. */
export async function faultsOfWidth(page: Page): Promise<string[]> {
  const former = page.viewportSize()!
  await page.setViewportSize({ ...former, width: 320 })
  const faults = await page.evaluate<string[]>(`(async () => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(${JSON.stringify(SPACING)})
    document.adoptedStyleSheets.push(sheet)
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn))
    const findWide = () =>
      [document.documentElement, ...document.querySelectorAll('[role=dialog]')].filter(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      )
    for (let frames = 0; frames < 2 || (frames < ${FRAMES} && (innerWidth > 320 || findWide().length > 0)); frames++)
      await frame()
    const wide = findWide()
    const faults = wide.map(({ tagName, scrollWidth }) => tagName + ' is ' + scrollWidth + ' pixels wide')
    document.adoptedStyleSheets.pop()
    return faults
  })()`)
  await page.setViewportSize(former)
  return faults
}

/** @returns how many CSS pixels wide the page is, with what its reader must scroll to */
export const widthOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')

/** The text of what has the focus, or of its label. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('(document.activeElement.labels?.[0] ?? document.activeElement).textContent')

/** Presses the tab key until it comes to something with that text. */
export async function tabTo(page: Page, text: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab')
    if (text.test(await focused(page))) return
  }
  throw new Error(`the tab key does not lead to ${text.source}`)
}
