import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

type Rules = { readonly type: 'tag' | 'rule'; readonly values: readonly string[] }

const WCAG_22_AA: Rules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }

/** The axe rule for colours, the only rule with a result that depends on the colour scheme. */
const CONTRAST: Rules = { type: 'rule', values: ['color-contrast'] }

/** Returns what axe finds on the page, as rule and place. The default standard is WCAG 2.2 AA. */
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

/** Returns what axe finds against WCAG 2.2 AA in the light scheme, and the colour faults in the dark scheme. */
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

/** The spacing of letters and words that a page must bear (WCAG 2.2, criterion 1.4.12). Wide fonts take less room. */
const SPACING = '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }'

/** How many frames a page may take to become as narrow as its window. Chromium is at least 500 pixels wide at first. */
const FRAMES = 60

/** Returns the parts, page or dialog, that need sideways scrolling at a width of 320 pixels with wide text spacing. */
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

/** @returns the width of the page in CSS pixels, and the parts that need sideways scrolling */
export const widthOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')

/** The text or label of the focused element. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('(document.activeElement.labels?.[0] ?? document.activeElement).textContent')

/** Presses the tab key until an element with that text has the focus. */
export async function tabTo(page: Page, text: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab')
    if (text.test(await focused(page))) return
  }
  throw new Error(`the tab key does not lead to ${text.source}`)
}
